package io.tributary.security.ldap;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.util.ssl.HostNameSSLSocketVerifier;
import com.unboundid.util.ssl.SSLSocketVerifier;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a server whose certificate is for another host. An address must be in the certificate as one: the library
 * would be content with the name that the address has in the DNS.
 */
final class ServerName extends SSLSocketVerifier {
    private static final Integer ADDRESS = 7;

    private final SSLSocketVerifier ofNames = new HostNameSSLSocketVerifier(true);

    @Override
    public void verifySSLSocket(String host, int port, SSLSocket socket) throws LDAPException {
        if (!host.contains(":") && !host.matches("[0-9.]+")) {
            ofNames.verifySSLSocket(host, port, socket);
            return;
        }
        try {
            boolean isThere = socket.getSession().getPeerCertificates()[0] instanceof X509Certificate certificate
                    && hasAddress(certificate.getSubjectAlternativeNames(), InetAddress.getByName(host));
            if (!isThere) {
                throw new LDAPException(ResultCode.CONNECT_ERROR, "the certificate is not for the address");
            }
        } catch (SSLPeerUnverifiedException | CertificateParsingException | UnknownHostException e) {
            throw new LDAPException(ResultCode.CONNECT_ERROR, "the certificate cannot be read", e);
        }
    }

    private static boolean hasAddress(@Nullable Collection<List<?>> names, InetAddress address)
            throws UnknownHostException {
        if (names != null) {
            for (List<?> name : names) {
                if (ADDRESS.equals(name.get(0))
                        && name.get(1) instanceof String text
                        && InetAddress.getByName(text).equals(address)) {
                    return true;
                }
            }
        }
        return false;
    }
}

package io.tributary.security.http;

import com.nimbusds.jose.util.JSONObjectUtils;
import io.tributary.broker.security.ClientInfo;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the service is told of a client. */
final class ServiceQuestion {
    private ServiceQuestion() {}

    static byte[] json(ClientInfo client, byte @Nullable [] password) {
        Map<String, Object> question = new LinkedHashMap<>();
        question.put("clientId", client.clientId());
        put(question, "userName", client.userName());
        if (password != null) {
            String text = text(password);
            if (text == null) {
                question.put("passwordBase64", Base64.getEncoder().encodeToString(password));
            } else {
                question.put("password", text);
            }
        }
        question.put("listener", client.listener());
        question.put("address", client.remoteAddress());
        question.put("protocol", Objects.requireNonNull(client.version()).name());
        put(question, "certificateSubject", client.certificateSubject());
        return JSONObjectUtils.toJSONString(question).getBytes(StandardCharsets.UTF_8);
    }

    private static void put(Map<String, Object> question, String name, @Nullable String value) {
        if (value != null) {
            question.put(name, value);
        }
    }

    /** A password that is a text; null when it is not UTF-8. */
    private static @Nullable String text(byte[] password) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(password))
                    .toString();
        } catch (CharacterCodingException binary) {
            return null;
        }
    }
}

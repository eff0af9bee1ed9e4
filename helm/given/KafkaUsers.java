import java.io.FileInputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.UserScramCredentialDeletion;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * What an administrator of the Kafka of kubernetes-test does, in one of its pods: {@code password USER PASSWORD} makes a user or gives it
 * another password, {@code rights USER PREFIX} gives it those of docs/cluster.md, {@code forget USER} takes the user away, {@code copies}
 * says how many copies each topic has, and how many of them are behind.
 */
class KafkaUsers {
    public static void main(String[] args) throws Exception {
        Properties properties = new Properties();
        try (InputStream file = new FileInputStream("/tmp/admin.properties")) {
            properties.load(file);
        }
        try (Admin admin = Admin.create(properties)) {
            switch (args[0]) {
                case "password" ->
                    admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                                    args[1], new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), args[2])))
                            .all()
                            .get();
                case "forget" ->
                    admin.alterUserScramCredentials(
                                    List.of(new UserScramCredentialDeletion(args[1], ScramMechanism.SCRAM_SHA_512)))
                            .all()
                            .get();
                case "rights" -> admin.createAcls(rights("User:" + args[1], args[2])).all().get();
                case "copies" -> copies(admin);
                default -> throw new IllegalArgumentException(args[0]);
            }
        }
    }

    private static List<AclBinding> rights(String user, String prefix) {
        List<AclBinding> rights = new ArrayList<>();
        for (AclOperation operation : List.of(
                AclOperation.CREATE,
                AclOperation.DESCRIBE,
                AclOperation.DESCRIBE_CONFIGS,
                AclOperation.READ,
                AclOperation.WRITE,
                AclOperation.ALTER_CONFIGS,
                AclOperation.DELETE)) {
            rights.add(right(user, ResourceType.TOPIC, prefix, operation));
        }
        rights.add(right(user, ResourceType.GROUP, prefix, AclOperation.READ));
        return rights;
    }

    private static AclBinding right(String user, ResourceType type, String prefix, AclOperation operation) {
        return new AclBinding(
                new ResourcePattern(type, prefix, PatternType.PREFIXED),
                new AccessControlEntry(user, "*", operation, AclPermissionType.ALLOW));
    }

    private static void copies(Admin admin) throws Exception {
        Map<String, TopicDescription> topics =
                admin.describeTopics(admin.listTopics().names().get()).allTopicNames().get();
        long fewest = topics.values().stream()
                .flatMap(topic -> topic.partitions().stream())
                .mapToLong(partition -> partition.replicas().size())
                .min()
                .orElse(0);
        long behind = topics.values().stream()
                .flatMap(topic -> topic.partitions().stream())
                .mapToLong(partition -> partition.replicas().size() - partition.isr().size())
                .sum();
        System.out.println(topics.size() + " topics with " + fewest + " copies or more, " + behind + " copies behind");
    }
}

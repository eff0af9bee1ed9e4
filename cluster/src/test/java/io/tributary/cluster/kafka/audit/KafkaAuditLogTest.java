package io.tributary.cluster.kafka.audit;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.persistence.audit.AuditLog;
import io.tributary.persistence.contract.AuditLogContract;

class KafkaAuditLogTest extends AuditLogContract {
    private final KafkaConfig config = TestKafka.config();

    @Override
    protected AuditLog open() {
        return new KafkaAuditLog(config, "node", KafkaRecorder.NONE, failure -> {
            throw new AssertionError("the log is broken", failure);
        });
    }
}

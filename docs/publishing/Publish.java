import com.fasterxml.jackson.databind.ObjectMapper;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Appends what happened, and what came of it. The defaults of kafka-clients are right: murmur2, all acks, idempotence. */
public class Publish {
    static final String MEMORY = "acme/coder";
    static final ObjectMapper JSON = new ObjectMapper();
    static final SecureRandom RANDOM = new SecureRandom();

    public static void main(String[] arguments) throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", "127.0.0.1:19092");
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new ByteArraySerializer())) {
            var features = Map.<String, Object>of("features", List.of("deploy", "friday"));
            String event = publish(producer, "record_event", features, "Deployed build 512");
            var outcome = Map.<String, Object>of("event", event, "value", -3, "kind", "outage");
            publish(producer, "log_outcome", outcome, "The site was down for an hour");
            System.out.println(event);
        }
    }

    /** Returns the id once all replicas in sync have the command. If it throws, send the same again, id included. */
    static String publish(KafkaProducer<String, byte[]> producer, String type, Map<String, Object> body, String text)
            throws Exception {
        String id = uuid7();
        var command = new TreeMap<String, Object>(Map.of("version", 1, "id", id, "type", type, "memory", MEMORY));
        command.putAll(Map.of("session", "release-512", "source", "ci", "process", "deploy-job", "origin", "tool"));
        command.putAll(Map.of("at", System.currentTimeMillis(), "body", body, "content", Map.of("text", text)));
        producer.send(new ProducerRecord<>("yggdrasil.commands", MEMORY, JSON.writeValueAsBytes(command))).get();
        return id;
    }

    static String uuid7() {
        long high = System.currentTimeMillis() << 16 | 0x7000 | RANDOM.nextInt(0x1000);
        return new UUID(high, RANDOM.nextLong() >>> 2 | 1L << 63).toString();
    }
}

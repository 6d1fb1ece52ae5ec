// Append what happened, and what came of it, with KafkaJS.
import { randomBytes } from "node:crypto";
import { Kafka, Partitioners } from "kafkajs";

const memory = "acme/coder";

function uuid7() {
  const id = randomBytes(16);
  id.writeUIntBE(Date.now(), 0, 6);
  id[6] = (id[6] & 0x0f) | 0x70;
  id[8] = (id[8] & 0x3f) | 0x80;
  return id.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

// Returns the id once all replicas in sync have the command. If it throws, send the same again, id included.
async function publish(producer, type, body, text) {
  const envelope = { version: 1, id: uuid7(), type, memory, session: "release-512", at: Date.now() };
  const command = { ...envelope, source: "ci", process: "deploy-job", origin: "tool", body, content: { text } };
  const messages = [{ key: memory, value: JSON.stringify(command) }];
  await producer.send({ topic: "yggdrasil.commands", acks: -1, messages });
  return command.id;
}

const kafka = new Kafka({ clientId: "ci", brokers: ["127.0.0.1:19092"] });
// The partitioner is KafkaJS's own since version 2, and murmur2; one request at a time keeps the order.
const createPartitioner = Partitioners.DefaultPartitioner;
const producer = kafka.producer({ createPartitioner, idempotent: true, maxInFlightRequests: 1 });
await producer.connect();
const event = await publish(producer, "record_event", { features: ["deploy", "friday"] }, "Deployed build 512");
await publish(producer, "log_outcome", { event, value: -3, kind: "outage" }, "The site was down for an hour");
await producer.disconnect();
console.log(event);

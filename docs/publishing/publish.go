// Command publish appends what happened, and what came of it, with franz-go.
package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const memory = "acme/coder"

func main() {
	// The defaults of franz-go are right: murmur2, acknowledged by all replicas, idempotent.
	client, err := kgo.NewClient(kgo.SeedBrokers("127.0.0.1:19092"), kgo.DefaultProduceTopic("yggdrasil.commands"))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	event := publish(client, "record_event", map[string]any{"features": []string{"deploy", "friday"}}, "Deployed build 512")
	outcome := map[string]any{"event": event, "value": -3, "kind": "outage"}
	publish(client, "log_outcome", outcome, "The site was down for an hour")
	fmt.Println(event)
}

// publish returns the id once all replicas in sync have the command.
func publish(client *kgo.Client, kind string, body map[string]any, text string) string {
	id := uuid7()
	command, err := json.Marshal(map[string]any{
		"version": 1, "id": id, "type": kind, "memory": memory, "session": "release-512",
		"at": time.Now().UnixMilli(), "source": "ci", "process": "deploy-job", "origin": "tool",
		"body": body, "content": map[string]any{"text": text},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	sent := client.ProduceSync(ctx, &kgo.Record{Key: []byte(memory), Value: command})
	if err := sent.FirstErr(); err != nil {
		log.Fatalf("not acknowledged (%v), and it may be there all the same: send it again under its id: %s", err, command)
	}
	return id
}

func uuid7() string {
	var id [16]byte
	rand.Read(id[:])
	binary.BigEndian.PutUint64(id[:8], uint64(time.Now().UnixMilli())<<16|uint64(binary.BigEndian.Uint16(id[6:])))
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

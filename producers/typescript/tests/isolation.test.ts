import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { generateText } from "ai";

import { withMemory } from "../src/ai/index.ts";
import { AccessError, connect, type Memory } from "../src/index.ts";
import { answering, lastPrompt } from "./models.ts";
import { Service } from "./service.ts";

let service: Service;
before(async () => {
  service = await Service.start({ keys: true });
});
after(() => service.close());

test("nothing crosses between memories and tenants, whoever asks with which key", async () => {
  const tenants = ["acme", "house", "lab"];
  const keys = new Map(tenants.map((tenant) => [tenant, service.key(tenant)]));
  await new Promise((resolve) => setTimeout(resolve, 1_500)); // the file of keys is looked at every second
  const names = tenants.flatMap((tenant) => ["ana", "ben"].map((agent) => `${tenant}/${agent}`));
  const open = (memory: string, key: string | undefined): Memory => connect(service.url, { memory, key });
  for (const name of names) {
    const own = open(name, keys.get(name.split("/")[0] ?? ""));
    await own.recordEvent(`The secret of ${name}`, { features: ["secret"], key: "secret" });
  }
  for (const name of names) {
    for (const [tenant, key] of keys) {
      const memory = open(name, key);
      if (name.startsWith(`${tenant}/`)) {
        const found = await memory.getContext("secret", { k: 50 });
        assert.deepEqual(found.found.map((each) => each.memory.text), [`The secret of ${name}`]);
        const model = answering("Nothing.");
        await generateText({ model: withMemory(model, memory, { record: false }), prompt: "the secret" });
        assert.deepEqual(lastPrompt(model).match(/secret of \S+/g), [`secret of ${name}`]);
        continue;
      }
      const calls = [
        () => memory.recordEvent("intruder"),
        () => memory.getContext("secret"),
        () => memory.getPrompt("secret"),
        () => memory.history({ key: "secret" }),
        () => memory.timeline(),
        () => memory.claims(),
        () => memory.stats(),
        () => memory.describe("feature:secret"),
      ];
      for (const call of calls) await assert.rejects(call(), AccessError);
      const told: unknown[] = [];
      const model = answering("I know nothing.");
      const remembering = withMemory(model, memory, { onError: (error) => told.push(error) });
      assert.equal((await generateText({ model: remembering, prompt: "the secret" })).text, "I know nothing.");
      assert.doesNotMatch(lastPrompt(model), /secret of/);
      assert.ok(told.length === 2 && told.every((error) => error instanceof AccessError));
    }
  }
});

test("a key that is none is refused with what to do", async () => {
  const memory = connect(service.url, { memory: "acme/ana", key: "nonsense" });
  await assert.rejects(memory.stats(), (error: unknown) => {
    assert.ok(error instanceof AccessError);
    assert.deepEqual([error.status, error.problem], [401, "unauthenticated"]);
    assert.ok(error.remedy);
    return true;
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { generateText } from "ai";

import { connect, ServiceAwayError } from "../src/index.ts";
import { withMemory } from "../src/ai/index.ts";
import { answering } from "./models.ts";
import { Service } from "./service.ts";

test("while the service is away the model goes on, and what was done then is recorded when it is back", async () => {
  const service = await Service.start();
  try {
    const memory = connect(service.url, { memory: "me/agent" });
    await memory.recordEvent("Deployed on a Friday: the site was down", { features: ["deploy"] });
    const errors: unknown[] = [];
    const model = withMemory(answering("Wait until Monday."), memory, { onError: (error) => errors.push(error) });
    const ask = (prompt: string) => generateText({ model, prompt });

    await service.end();
    await assert.rejects(memory.stats(), ServiceAwayError);
    const away = await ask("Should we deploy this Friday?");
    assert.equal(away.text, "Wait until Monday.");
    assert.deepEqual(away.providerMetadata?.["yggdrasil"], { event: null, recall: null, cited: [] });
    assert.equal(errors.length, 2);
    assert.ok(errors.every((error) => error instanceof ServiceAwayError));

    let kept: unknown;
    const lost = await memory.recordEvent("Said while it was away").catch((error: unknown) => error);
    assert.ok(lost instanceof ServiceAwayError);
    kept = lost.commands[0];

    await service.begin();
    assert.ok(kept);
    for (const command of lost.commands) assert.ok((await memory.append(command)).seq);
    const back = await ask("And on Saturday?");
    assert.ok(back.providerMetadata?.["yggdrasil"]?.["event"]);
    const texts = (await memory.timeline()).memories.map((each) => each.text?.split("\n")[0]);
    assert.deepEqual(texts.toSorted(), [
      "Asked: And on Saturday?",
      "Asked: Should we deploy this Friday?",
      "Deployed on a Friday: the site was down",
      "Said while it was away",
    ]);
    assert.equal(errors.length, 2);
  } finally {
    await service.close();
  }
});

test("a service that hangs holds a call up for its bound and no longer", async () => {
  const memory = connect("http://127.0.0.1:9", {
    memory: "me/agent",
    fetch: (request) =>
      new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("aborted")))),
  });
  const errors: string[] = [];
  const model = withMemory(answering("Done."), memory, { timeout_ms: 50, onError: (_, during) => errors.push(during) });
  const began = performance.now();
  assert.equal((await generateText({ model, prompt: "Go on" })).text, "Done.");
  assert.ok(performance.now() - began < 2_000);
  assert.deepEqual(errors, ["recall", "record"]);
});

test("what waits for a service is bounded, and what is lost is said", async () => {
  const memory = connect("http://127.0.0.1:9", {
    memory: "me/agent",
    fetch: () => Promise.reject(new TypeError("fetch failed")),
  });
  const told: unknown[] = [];
  const model = withMemory(answering("Done."), memory, { onError: (error) => told.push(error) });
  for (let at = 0; at < 34; at++) await generateText({ model, prompt: `Step ${at}` });
  assert.equal(told.filter((error) => String(error).includes("are lost")).length, 2);
});

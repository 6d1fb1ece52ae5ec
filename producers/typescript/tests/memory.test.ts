import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { connect, InvalidError, type Memory, RefusedError, ServiceAwayError, ServiceError, uuid7 } from "../src/index.ts";
import { Service } from "./service.ts";

let service: Service;
let count = 0;
before(async () => {
  service = await Service.start();
});
after(() => service.close());

function fresh(): Memory {
  count += 1;
  return connect(service.url, { memory: `me/agent-${count}` });
}

test("what is learnt comes back, with its outcome and its lineage", async () => {
  const memory = fresh();
  const event = await memory.recordEvent("Deployed on a Friday evening", { features: ["deploy", "friday"] });
  await memory.logOutcome(event.id, -3, { kind: "outage", text: "The site was down for an hour" });
  const context = await memory.getContext("Should we deploy this Friday?", { k: 5 });
  assert.equal(context.found[0]?.memory.text, "Deployed on a Friday evening");
  assert.equal(context.found[0]?.memory.outcomes[0]?.text, "The site was down for an hour");
  assert.ok(context.recall_id);
  const action = await memory.recordEvent("Waited until Monday", { informed_by: [context.recall_id] });
  await memory.reportUse(context.recall_id, [event.id], { result: "success" });
  const explained = await memory.explainAction(action.id);
  assert.equal(explained.informed_by[0]?.query, "Should we deploy this Friday?");
  assert.equal((await memory.describe(event.id)).memory.usage, 1);
  assert.equal((await memory.describe("feature:deploy")).memory.kind, "feature");
});

test("a prompt keeps to its budget and says what its labels stand for", async () => {
  const memory = fresh();
  for (let at = 0; at < 30; at++) await memory.recordEvent(`Deployed build ${at}: ${"and it went well ".repeat(10)}`);
  const prompt = await memory.getPrompt("How did the deployed builds go?", { tokens_max: 200 });
  assert.ok(prompt.text.length <= 800);
  assert.match(prompt.text, /\[m1\]/);
  assert.match(prompt.refs["m1"] ?? "", /^[0-9a-f-]{36}$/);
  const cases = await memory.getSimilarCases("Deployed a build", { tokens_max: 200 });
  assert.deepEqual(cases.bad, []);
});

test("what is corrected stops coming back, and its history stays", async () => {
  const memory = fresh();
  const first = await memory.recordEvent("Ana eats everything", { key: "ana/diet" });
  const second = await memory.recordEvent("Ana is a vegan now", { key: "ana/diet" });
  const third = await memory.supersede(second.id, "Ana is a vegetarian now");
  await memory.withdraw(third.id, "please forget it");
  assert.equal((await memory.getContext("What does Ana eat?", { k: 5 })).found.length, 0);
  await memory.reinstate(third.id);
  const found = (await memory.getContext("What does Ana eat?", { k: 5 })).found.map((each) => each.memory.text);
  assert.deepEqual(found, ["Ana is a vegetarian now"]);
  const history = await memory.history({ ref: first.id });
  assert.deepEqual(
    history.memories.map((each) => each.status),
    ["superseded", "superseded", "active"],
  );
});

test("claims are asked of now and of then", async () => {
  const memory = fresh();
  const since = Date.UTC(2026, 4, 1);
  await memory.assertClaim("person:ana", "lives_in", { entity: "city:rome" }, { valid_to: since });
  await memory.assertClaim("person:ana", "lives_in", { entity: "city:oslo" }, { valid_from: since });
  const objects = async (asked: { valid_at?: number }): Promise<unknown[]> =>
    (await memory.claims({ thing: "person:ana", ...asked })).claims.map((each) => each.claim?.object);
  assert.deepEqual(await objects({}), ["city:oslo"]);
  assert.deepEqual(await objects({ valid_at: since - 1 }), ["city:rome"]);
});

test("a claim has a text for a value, and the words of that are one value", async () => {
  const memory = fresh();
  const first = await memory.assertClaim("person:ana", "says", { text: "I never fly" });
  assert.deepEqual((await memory.claims({ thing: "person:ana" })).claims[0]?.claim?.object, "I never fly");
  assert.notEqual(first.seq, null);
  await memory.assertClaim("person:ana", "says", { text: "i  NEVER fly" });
  assert.equal((await memory.claims({ thing: "person:ana", predicate: "says" })).claims.length, 1);
  assert.equal((await memory.getContext("Does Ana fly?")).found.length > 0, true);
});

test("a text that says nothing is refused before anything is sent", async () => {
  let sent = 0;
  const counting = async (request: Request): Promise<Response> => {
    sent += 1;
    return await fetch(request);
  };
  const memory = connect(service.url, { memory: "me/empty", fetch: counting });
  for (const nothing of ["", "  \n\t", undefined as never, null as never]) {
    await assert.rejects(memory.recordEvent(nothing), InvalidError);
    await assert.rejects(memory.supersede(uuid7(), nothing), InvalidError);
    await assert.rejects(memory.assertClaim("person:ana", "says", { text: nothing }), InvalidError);
  }
  assert.equal(sent, 0);
});

test("what can be no key is told and not shown, and blanks around one are no part of it", async () => {
  for (const key of ["\u201cygg_secret\u201d", "ygg_secret\nygg_other", "ygg secret"]) {
    assert.throws(
      () => connect("http://127.0.0.1:1", { memory: "me/agent", key }),
      (error: Error) => error instanceof InvalidError && !error.message.includes("secret"),
    );
  }
  let sent: string | null = null;
  const heard = async (request: Request): Promise<Response> => {
    sent = request.headers.get("authorization");
    return new Response("{}", { status: 200, headers: { "content-type": "application/json" } });
  };
  await connect("http://127.0.0.1:1", { memory: "me/agent", key: "\nygg_a\r\n", fetch: heard }).service.GET("/v1/me" as never);
  assert.equal(sent, "Bearer ygg_a");
  await connect("http://127.0.0.1:1", { memory: "me/agent", key: " ", fetch: heard }).service.GET("/v1/me" as never);
  assert.equal(sent, null);
});

test("what is named like a part of a route is read by its name", async () => {
  for (const word of ["neighbours", "dependents", "lineage", "context", "claims", "events"]) {
    const memory = connect(service.url, { memory: `a/${word}` });
    const taken = await memory.recordEvent(`Work on ${word}`, { features: [`a/${word}`] });
    assert.equal((await memory.describe(`feature:a/${word}`)).memory.ref, `feature:a/${word}`);
    assert.equal((await memory.timeline()).memories[0]?.ref, taken.id);
  }
});

test("a refusal says why, and a problem what to do", async () => {
  const memory = fresh();
  const stranger = uuid7();
  await assert.rejects(memory.logOutcome(stranger, -3), (error: unknown) => {
    assert.ok(error instanceof RefusedError);
    assert.equal(error.reason, "unknown_event");
    assert.match(error.message, /new id/);
    return true;
  });
  await assert.rejects(memory.describe(stranger), (error: unknown) => {
    assert.ok(error instanceof ServiceError);
    assert.deepEqual([error.problem, error.status], ["unknown_node", 404]);
    assert.ok(error.remedy && error.message.endsWith(error.remedy));
    assert.ok(error.request);
    return true;
  });
  await assert.rejects(memory.recordEvent("x", { features: ["outcome:good"] }), { problem: "invalid", status: 422 });
  await assert.rejects(memory.recordEvent("x".repeat(300_000)), { problem: "too_large" });
  await assert.rejects(memory.getContext("x", { k: 51 }), { problem: "invalid" });
  await assert.rejects(memory.appendMany([]), InvalidError);
  assert.equal(await memory.became(stranger), null);
  assert.throws(() => connect(service.url, { memory: "../agent" }), InvalidError);
  assert.throws(() => connect("127.0.0.1:8787", { memory: "me/agent" }), InvalidError);
});

test("a command is taken once, however often it is sent", async () => {
  const memory = fresh();
  const command = { type: "record_event", id: uuid7(), body: {}, content: { text: "Once" } } as const;
  const [first, second] = [await memory.append(command), await memory.append(command)];
  assert.equal(second.seq, first.seq);
  assert.equal((await memory.timeline()).memories.length, 1);
  const mixed = await memory.appendMany([
    { type: "record_event", body: {}, content: { text: "Twice" } },
    { type: "log_outcome", body: { event: uuid7(), value: 1 } },
  ]);
  assert.deepEqual(mixed.map((each) => [each.accepted, each.reason]), [[true, null], [false, "unknown_event"]]);
});

test("a read that is given a receipt sees what was appended", async () => {
  const memory = fresh();
  const taken = await memory.append({ type: "record_event", body: {}, content: { text: "Just now" } });
  const seen = await memory.became(taken.id, { after: taken.receipt });
  assert.deepEqual([seen?.accepted, seen?.receipt], [true, taken.receipt]);
  const [partition, offset] = taken.receipt.split("-");
  const later = `${partition}-${Number(offset) + 1_000}`;
  await assert.rejects(memory.stats({ after: later, deadline_s: 0 }), { problem: "not_yet", status: 409 });
});

test("every route of the service is there, typed", async () => {
  const memory = fresh();
  await memory.recordEvent("Promised to call Ana", { features: ["promise"], session: "monday" });
  const { data } = await memory.service.GET("/v1/memories/{tenant}/{agent}/working-memory", {
    params: { path: memory.path, query: { session: "monday" } },
  });
  assert.equal(data?.sessions[0]?.session, "monday");
});

test("a signal ends a call", async () => {
  const memory = connect(service.url, { memory: "me/ended" });
  await assert.rejects(memory.recordEvent("x", { signal: AbortSignal.abort() }), { name: "AbortError" });
  const slow = connect(service.url, { memory: "me/slow", fetch: (request) => hanging(request), timeout_ms: 20 });
  await assert.rejects(slow.stats(), ServiceAwayError);
  const held = new AbortController();
  const waiting = connect(service.url, { memory: "me/slow", fetch: (request) => hanging(request) }).stats({
    signal: held.signal,
  });
  held.abort();
  await assert.rejects(waiting, { name: "AbortError" });
});

function hanging(request: Request): Promise<Response> {
  return new Promise((_, reject) => {
    request.signal.addEventListener("abort", () => reject(request.signal.reason as Error));
  });
}

test("a busy service is asked again, a cut connection is made again, and the same command is sent", async () => {
  const sent: unknown[] = [];
  const failures = [
    () => Promise.reject(new TypeError("fetch failed", { cause: new Error("other side closed") })),
    () => Promise.resolve(new Response("{}", { status: 503, headers: { "retry-after": "0" } })),
    () => Promise.resolve(new Response("{}", { status: 429, headers: { "retry-after": "0" } })),
  ];
  const memory = connect(service.url, {
    memory: "me/patient",
    fetch: async (request) => {
      sent.push(await request.clone().json());
      return failures.shift()?.() ?? fetch(request);
    },
  });
  const taken = await memory.recordEvent("It came through", { features: ["retry"] });
  assert.equal(sent.length, 4);
  assert.deepEqual(new Set(sent.map((each) => (each as { id: string }).id)), new Set([taken.id]));
});

test("a service that stays busy is told apart from a problem, and its commands can be sent again", async () => {
  const busy = () => Promise.resolve(Response.json({ detail: "the log is away" }, { status: 503 }));
  const memory = connect(service.url, { memory: "me/busy", fetch: busy, patience_ms: 0 });
  await assert.rejects(memory.stats(), { name: "ServiceError", status: 503 });
  await assert.rejects(memory.recordEvent("Kept"), (error: unknown) => {
    assert.ok(error instanceof ServiceAwayError);
    assert.match(error.commands[0]?.id ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    return true;
  });
});

test("two clients write one memory at once, in a few hundred calls", async () => {
  const name = "me/shared";
  const clients = [connect(service.url, { memory: name }), connect(service.url, { memory: name })];
  const ids = await Promise.all(
    Array.from({ length: 200 }, async (_, at) => {
      const client = clients[at % 2] ?? fresh();
      const { id } = await client.recordEvent(`Step ${at}`, { features: [`step-${at}`], session: `client-${at % 2}` });
      const found = await client.getContext(`Step ${at}`, { k: 1, record: false });
      assert.equal(found.found[0]?.memory.text, `Step ${at}`);
      return id;
    }),
  );
  assert.equal(new Set(ids).size, 200);
  assert.equal((await clients[0]?.timeline({ count: 200 }))?.memories.length, 200);
});

test("ids are of version 7, in order of time", () => {
  const ids = Array.from({ length: 1_000 }, (_, at) => uuid7(1_767_225_600_000 + at));
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(Number.parseInt((ids[0] ?? "").replaceAll("-", "").slice(0, 12), 16), 1_767_225_600_000);
});

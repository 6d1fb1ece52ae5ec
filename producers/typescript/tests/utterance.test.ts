import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { kindsOf } from "../src/ai/utterance.ts";

interface Case {
  readonly said: string;
  readonly recalled?: string[];
  readonly tools?: string[];
  readonly kinds: string[] | null;
}

const CASES: Case[] = JSON.parse(readFileSync(new URL("../../../tests/corpus/utterances.json", import.meta.url), "utf-8"));

for (const { said, recalled = [], tools = [], kinds } of CASES) {
  test(`what tells nothing new: ${said.slice(0, 60)}`, () => {
    const found = kindsOf(said, recalled, new Set(tools));
    assert.deepEqual(found === null ? null : [...found].sort(), kinds);
  });
}

test("the worst texts take time in proportion", () => {
  for (const text of ["[m1,".repeat(4_000), " ".repeat(16_000), `i do not know ${"a ".repeat(7_900)}`, "[".repeat(16_000)]) {
    assert.doesNotThrow(() => kindsOf(text, [text, text]));
  }
  assert.equal(kindsOf("?".repeat(16_001)), null);
});

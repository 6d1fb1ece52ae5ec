/** A real service for tests: `yggdrasil serve` over a fresh directory, as a process of its own. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const YGGDRASIL = process.env["YGGDRASIL"] ?? "yggdrasil";
const READY_MS = 120_000;
const PROBE_MS = 5_000;
const END_MS = 30_000;
// Below the ports that a kernel gives to whoever connects: one of those may be somebody's own end just now.
const PORTS = { first: 15_000, last: 32_000 } as const;

/** Started, stopped and started again at one address. */
export class Service {
  readonly url: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #arguments: readonly string[];
  #process: ChildProcess | null = null;

  private constructor(folder: string, port: number, more: readonly string[]) {
    this.#folder = folder;
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.#arguments = more;
  }

  /** Start one; with `keys`, each a tenant, it has a file of keys, and `key` makes them. */
  static async start(options: { keys?: boolean; rate?: number } = {}): Promise<Service> {
    const folder = mkdtempSync(join(tmpdir(), "yggdrasil-typescript-"));
    const keys = options.keys ? ["--keys", join(folder, "keys.json")] : [];
    const service = new Service(folder, await freePort(), [...keys, "--rate", String(options.rate ?? 0)]);
    if (options.keys) service.key("nobody");
    await service.begin();
    return service;
  }

  /** Make a key for a tenant. */
  key(tenant: string, ...more: string[]): string {
    const roles = ["--role", "append", "--role", "read"];
    const file = join(this.#folder, "keys.json");
    const name = ["--name", `key-${tenant}-${Math.random().toString(36).slice(2)}`];
    const command = ["key", "new", "--keys", file, "--tenant", tenant, ...roles, ...name, ...more];
    return execFileSync(YGGDRASIL, command, { encoding: "utf8" }).trim();
  }

  async begin(): Promise<void> {
    const command = ["serve", "--data", join(this.#folder, "data"), "--http", `127.0.0.1:${this.#port}`];
    let log = "";
    const started = spawn(YGGDRASIL, [...command, "--embedder", "off", ...this.#arguments], { stdio: ["ignore", "ignore", "pipe"] });
    started.stderr.on("data", (data: Buffer) => (log = (log + data.toString()).slice(-4_000)));
    this.#process = started;
    const until = Date.now() + READY_MS;
    while (!(await ready(this.url))) {
      if (Date.now() > until || started.exitCode !== null) throw new Error(`the service does not start: ${log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async end(): Promise<void> {
    const running = this.#process;
    if (running === null) return;
    this.#process = null;
    if (running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGTERM");
    const late = setTimeout(() => running.kill("SIGKILL"), END_MS);
    await ended;
    clearTimeout(late);
    if (running.signalCode === "SIGKILL") throw new Error(`the service does not end within ${END_MS} ms`);
  }

  async close(): Promise<void> {
    await this.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function ready(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PROBE_MS) })).status === 200;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * (PORTS.last - PORTS.first));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

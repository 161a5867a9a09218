import { onDemand } from "@tollgate-tooling/programs/onDemand.ts"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const gatewayProgram = await onDemand("gateway")

/** The tests start the same code many times; a compile cache makes each start faster. */
const cache = join(import.meta.dirname, "../../../node_modules/.cache/tollgate-program")

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Program {
  readonly child: ChildProcess
  /** What it has printed when its banner is whole, or when it has ended. */
  readonly started: Promise<string>
  readonly ended: Promise<Ended>
  readonly stop: () => Promise<Ended>
}

/** The program as a user starts it. Nothing of this process's environment but the path goes along. */
export const start = (
  env: Readonly<Record<string, string>>,
  words: ReadonlyArray<string> = [],
  program = gatewayProgram,
  /** A command that runs the one after it. */
  within: ReadonlyArray<string> = []
): Program => {
  const [command = "", ...rest] = [...within, process.execPath, program, ...words]
  const child = spawn(command, rest, {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: cache, TOLLGATE_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  const ended = new Promise<Ended>((resolve) =>
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }))
  )
  const banner = new Promise<string>((resolve) => {
    child.stdout.on("data", () => {
      if (stdout.includes("Ctrl-C")) resolve(stdout)
    })
  })
  return {
    child,
    started: Promise.race([banner, ended.then(({ stderr, stdout }) => stdout + stderr)]),
    ended,
    stop: () => {
      child.kill("SIGTERM")
      return ended
    }
  }
}

/** Like `startGateway` of tollgate.ts, as the program. From its bundle a worker thread starts in a fifth of the time. */
export const startProgram = async (env: Readonly<Record<string, string>>) => {
  const program = start(env)
  return { banner: await program.started, stop: async () => void (await program.stop()) }
}

export const addressIn = (banner: string): string => /Tollgate (http:\S+)/.exec(banner)?.[1] ?? ""
export const keyIn = (banner: string): string => /key {6}(tg_\S+)/.exec(banner)?.[1] ?? ""
export const curlIn = (banner: string): string => /^ {2}(curl .*)$/m.exec(banner)?.[1] ?? ""

const folders: Array<string> = []

export const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "tollgate-program-"))
  folders.push(path)
  return path
}

export const removeFolders = (): void => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true })
}

/** All bytes of all files under a folder. */
export const bytesIn = (path: string): string =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString("latin1"))
    .join("\n")

export const rerank = (
  address: string,
  key: string,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
  document = "a"
) =>
  fetch(`${address}/v1/rerank`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ query: "q", documents: [document, "b"] }),
    ...(signal === undefined ? {} : { signal })
  })

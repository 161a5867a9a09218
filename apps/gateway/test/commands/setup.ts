import * as Effect from "effect/Effect"
import { afterAll, beforeAll, expect } from "vitest"
import * as dataFolder from "../../src/store/dataFolder.ts"
import { addressIn, folder, keyIn, type Program, removeFolders, rerank, start } from "../program.ts"
import { tollgate } from "../tollgate.ts"

export type Fields = Readonly<Record<string, unknown>>

export const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Commands on a data folder. */
const commandsOn = (data: string) => {
  const command = (...words: ReadonlyArray<string>) => tollgate({ TOLLGATE_DATA: data }, ...words)

  /** What a command prints with --json. */
  const json = async (...words: ReadonlyArray<string>): Promise<Fields> => {
    const { code, stderr, stdout } = await command(...words, "--json")
    expect([code, stderr], words.join(" ")).toEqual([0, ""])
    return JSON.parse(stdout) as Fields
  }

  const newAccount = async (label = "Acme"): Promise<string> => String((await json("accounts", "create", label)).id)

  return {
    data,
    command,
    json,
    newAccount,
    /** An account for tests that ask until something changes: a fast machine soon reaches a tier's own limits. */
    newUnlimitedAccount: async (): Promise<string> => {
      const id = await newAccount()
      await json("accounts", "set", id, "--rpm", "1000000", "--tpm", "1000000000")
      return id
    },
    newKey: async (account: string, ...terms: ReadonlyArray<string>) => {
      const made = await json("keys", "create", account, ...terms)
      return { id: String(made.id), value: String(made.key) }
    },
    keysOf: async (account: string) =>
      ((await json("keys", "list", account)) as { readonly keys: ReadonlyArray<Fields> }).keys
  }
}

/** A data folder that no gateway runs on. */
export const idleStore = () => {
  const data = folder()
  beforeAll(() => Effect.runPromise(dataFolder.open(data)))
  afterAll(removeFolders)
  return commandsOn(data)
}

/** A gateway in a process of its own, and commands in this one, on the same store. */
export const runningGateway = (environment: Readonly<Record<string, string>> = {}) => {
  const data = folder()
  let program: Program
  let banner = ""
  beforeAll(async () => {
    program = start({ TOLLGATE_DATA: data, ...environment })
    banner = await program.started
  })
  afterAll(async () => {
    await program.stop()
    removeFolders()
  })
  return {
    ...commandsOn(data),
    address: () => addressIn(banner),
    firstKey: () => keyIn(banner),
    rerank: (key: string) => rerank(addressIn(banner), key),
    statusOf: async (key: string) => (await rerank(addressIn(banner), key)).status,
    /** A call that can cost up to 500 micro-USD, and costs 100. */
    costly: async (key: string, tags?: string) => {
      const answer = await fetch(`${addressIn(banner)}/v1/rerank`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          ...(tags === undefined ? {} : { "x-tollgate-tags": tags })
        },
        body: JSON.stringify({ query: "q", documents: ["word ".repeat(2000)] })
      })
      const body = (await answer.json()) as { readonly error?: { readonly code: string; readonly message: string } }
      return { status: answer.status, headers: answer.headers, error: body.error }
    }
  }
}

const pause = (millis: number) => new Promise((next) => setTimeout(next, millis))

/** Asks again until it is so. A running gateway looks a key up again after a second; the limit bounds only a failure. */
export const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  const end = performance.now() + 240_000
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error("not within four minutes")
    await pause(50)
  }
}

/** Rounded up, as `retry-after` is. */
export const secondsToMidnight = () => Math.ceil((86_400_000 - (Date.now() % 86_400_000)) / 1000)

/** For a test that must begin and end on one day in UTC. */
export const awayFromMidnight = async (): Promise<void> => {
  if (secondsToMidnight() < 20) await pause(secondsToMidnight() * 1000)
}

import * as Effect from "effect/Effect"
import { hash as digest } from "node:crypto"
import { readFileSync } from "node:fs"
import { collect } from "../operations/import/document.ts"
import { withSortedKeys } from "../operations/import/OperationsFile.ts"
import { onFile } from "../terminal/onFile.ts"
import { CommandError, fail } from "../terminal/print.ts"
import { object, text } from "./text.ts"
import type { Source } from "./file.ts"

const longestMillis = 30_000
const mostBytes = 64 * 1024 * 1024

const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}

const get = (address: string) =>
  Effect.tryPromise({
    try: async (signal) => {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(longestMillis)])
      const response = await fetch(address, {
        headers: { accept: "application/json" },
        redirect: "error",
        signal: limited
      })
      if (response.status !== 200) throw new Error(`it answered with status ${response.status}`)
      return await collect(response.body ?? new Blob().stream(), mostBytes)
    },
    catch: (error) => new CommandError({ message: `Cannot read ${address}: ${reasonOf(error)}` })
  })

const parse = (body: string, from: string) =>
  Effect.try({
    try: (): unknown => JSON.parse(body),
    catch: () => new CommandError({ message: `${from} is not JSON.` })
  })

/** The contract that a gateway serves. It needs no credential. */
const ofGateway = Effect.fnUntraced(function* (address: string) {
  const base = address.replace(/[?#].*$/, "").replace(/\/+$/, "")
  const version = yield* parse(yield* get(`${base}/api/contracts/version`), address)
  const hash = text(object(version)["contentHash"])
  if (hash === undefined || !/^[0-9a-f]{64}$/.test(hash)) {
    return yield* fail(`${address} is not a Tollgate gateway.`)
  }
  const body = yield* get(`${base}/api/contracts/source?hash=${hash}&bundled=1`)
  if (digest("sha256", body) !== hash) {
    return yield* fail(`The contract from ${address} does not have the hash that it states.`)
  }
  return { document: yield* parse(body, address), hash }
})

const ofFile = Effect.fnUntraced(function* (file: string) {
  const body = yield* onFile(file, "read", () => readFileSync(file, "utf8"))
  const document = yield* parse(body, file)
  // As the gateway hashes it: without spaces, and with sorted keys.
  return { document, hash: digest("sha256", JSON.stringify(document, withSortedKeys)) }
})

/** Reads the contract of a gateway at an address, or a file with it. A name and password in an address are not needed. */
export const readSource = (from: string): Effect.Effect<Source, CommandError> =>
  /^https?:\/\//i.test(from) ? ofGateway(from.replace(/\/\/[^/]*@/, "//")) : ofFile(from)

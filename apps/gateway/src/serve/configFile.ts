import type { ConfigurationCheck } from "@tollgate/contract/admin/Configuration"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { AccountsError, Fleet } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { readFile } from "node:fs/promises"
import { basename, dirname, join, normalize } from "node:path"
import type { PriceStore } from "@tollgate/gateway/operator"
import { hash } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import { type Config, digestIn } from "../config/Config.ts"
import { plan } from "../config/plan.ts"
import { check, readNextTo } from "../config/read.ts"
import { createFile, obstacle, reasonOf, removeFile, replaceFile } from "../config/replaceFile.ts"
import { sectionsOf } from "../config/text/jsonc.ts"
import { replaceSection } from "../config/text/edit.ts"

/** What is needed to change the file of a running gateway. */
interface ConfigFileParts {
  readonly path: string | undefined
  /** Whether the operator allows it. */
  readonly isAllowed: boolean
  readonly current: () => Config
  /** Takes what the file says if it was decoded. */
  readonly reload: (decoded: Config) => Effect.Effect<ConfigurationCheck>
}

/** A change of the file, and of one file that it names. */
interface FileChange {
  readonly text: string
  /** `old`: its text until now. Missing: it is a new file. */
  readonly beside?: { readonly name: string; readonly text: string; readonly old: string | undefined }
  /** The part of the request that it was made from. */
  readonly param: string
}

const conflict = (message: string) => new AccountsError({ reason: "conflict", message })

const noFile =
  "The gateway runs without a configuration file. Start it with TOLLGATE_CONFIG and TOLLGATE_CONFIG_WRITE=on to change the file here."
const notAllowed =
  "The gateway may not write its configuration file. To allow it, start the gateway with TOLLGATE_CONFIG_WRITE=on."
const severalGateways =
  "Several gateways share the store, and each has its own file. Change the file of each gateway, then reload."
const notReloaded = "The file was changed and not reloaded. Reload it or undo the change, then try again."
const changedMeanwhile = "The file was changed in the meantime. Nothing was written. Load it again, then try again."

const cannotWrite = (path: string, reason: string) =>
  `The gateway cannot write ${basename(path)}: ${reason}. Nothing was changed.`

type Written = Effect.Effect<boolean, AccountsError>

const attempt = (path: string, run: () => Promise<boolean>): Written =>
  Effect.tryPromise({ try: run, catch: (cause) => conflict(cannotWrite(path, reasonOf(cause))) })

/** Replaces a text by another one, if it is still there. */
const swap = (path: string, text: string, old: string): Written =>
  attempt(path, () => replaceFile(path, text, async () => (await readFile(path, "utf8")) === old))

/** Reads and changes the configuration file for the operator, one change at a time. */
export const configFile = Effect.fnUntraced(function* ({ current, isAllowed, path, reload }: ConfigFileParts) {
  const fleet = yield* Fleet
  // The credentials of upstreams are those of the start, whoever asks.
  const context = yield* Effect.context<never>()
  const turn = Semaphore.makeUnsafe(1)

  const textIn = (path: string) =>
    Effect.orElseSucceed(
      Effect.tryPromise(() => readFile(path, "utf8")),
      () => undefined
    )

  const refusalFor = Effect.fnUntraced(function* (path: string | undefined, text: string | undefined) {
    if (path === undefined) return noFile
    if (!isAllowed) return notAllowed
    if (fleet.size() > 1) return severalGateways
    const found = yield* Effect.promise(() => obstacle(path))
    if (found !== undefined) return cannotWrite(path, found)
    if (text === undefined) return cannotWrite(path, "it cannot be read")
    const digest = yield* digestIn(text, readNextTo(path))
    return digest !== undefined && digest === current().digest ? null : notReloaded
  })

  const read = Effect.gen(function* () {
    const text = path === undefined ? undefined : yield* textIn(path)
    return { text, refusal: yield* refusalFor(path, text) }
  })

  /** Each step comes with what undoes it. The file that nobody names yet is written first. */
  const stepsOf = (path: string, old: string, { beside, text }: FileChange) => {
    const steps: Array<{ readonly write: Written; readonly undo: Written }> = []
    if (beside !== undefined) {
      const at = join(dirname(path), beside.name)
      steps.push(
        beside.old === undefined
          ? {
              write: attempt(at, () => createFile(at, beside.text, path)),
              undo: attempt(at, () => removeFile(at).then(() => true))
            }
          : { write: swap(at, beside.text, beside.old), undo: swap(at, beside.old, beside.text) }
      )
    }
    if (text !== old) steps.push({ write: swap(path, text, old), undo: swap(path, old, text) })
    return steps
  }

  /** Nobody waits for what the files would be: the gateway goes on with the old configuration, and so do they. */
  const putBack = Effect.fnUntraced(function* (undos: ReadonlyArray<Written>) {
    for (const undo of undos.toReversed()) {
      const back = yield* Effect.result(undo)
      if (Result.isFailure(back)) {
        const reason = back.failure.message
        yield* Effect.logError("the configuration file could not be put back", { reason })
        return `The old file could not be put back: ${reason}`
      }
      if (!back.success) return "Somebody changed the file meanwhile, so it was left as it is."
    }
    return "The old file is back."
  })

  const changeIn = Effect.fnUntraced(function* <E>(
    path: string,
    isFor: (old: string) => Effect.Effect<boolean>,
    make: (old: string) => Effect.Effect<FileChange, E>
  ) {
    const old = yield* textIn(path)
    const refusal = yield* refusalFor(path, old)
    if (old !== undefined && !(yield* isFor(old))) return yield* conflict(changedMeanwhile)
    if (refusal !== null || old === undefined) return yield* conflict(refusal ?? notReloaded)
    const change = yield* make(old)
    const steps = stepsOf(path, old, change)
    if (steps.length === 0) return old
    const { beside, param, text } = change
    const others = readNextTo(path)
    const next = check(path, text, (name) =>
      beside !== undefined && normalize(name) === beside.name ? Effect.succeed(beside.text) : others(name)
    )
    const checked = yield* Effect.result(Effect.tap(next, plan))
    if (Result.isFailure(checked)) {
      return yield* refuse("invalid_request", checked.failure.problems.join("\n"), { param })
    }
    const undos: Array<Written> = []
    for (const { undo, write } of steps) {
      const written = yield* Effect.result(write)
      if (Result.isSuccess(written) && written.success) {
        undos.push(undo)
        continue
      }
      yield* putBack(undos)
      return yield* Result.isFailure(written) ? written.failure : conflict(changedMeanwhile)
    }
    const reloaded = yield* Effect.exit(reload(checked.success))
    if (Exit.isSuccess(reloaded) && reloaded.value.valid) return text
    const end = yield* putBack(undos)
    const problems = Exit.isSuccess(reloaded) ? reloaded.value.problems : ["the gateway's log has the reason"]
    return yield* conflict(["The gateway refused the new file.", end, ...problems].join("\n"))
  })

  /** Writes and reloads. Returns the text of the file. A conflict: nothing was changed, and its message says why. */
  const change = <E>(
    isFor: (old: string) => Effect.Effect<boolean>,
    make: (old: string) => Effect.Effect<FileChange, E>
  ): Effect.Effect<string, AccountsError | Refused | E> =>
    path === undefined
      ? Effect.fail(conflict(noFile))
      : Effect.provideContext(turn.withPermits(1)(changeIn(path, isFor, make)), context)

  return { path, context, current, read: Effect.provideContext(read, context), change }
})

export type ConfigFile = Effect.Success<ReturnType<typeof configFile>>

const fingerprintOf = (text: string): string => hash("sha256", text)

/** The section `prices` of the configuration file. */
export const priceStore = ({ change, path = "", read }: ConfigFile): PriceStore => ({
  read: Effect.map(read, ({ refusal, text }) => ({
    section: (text === undefined ? undefined : sectionsOf(text).prices) ?? {},
    fingerprint: text === undefined ? null : fingerprintOf(text),
    refusal
  })),
  replace: (section, fingerprint) =>
    change(
      (old) => Effect.succeed(fingerprintOf(old) === fingerprint),
      (old) => {
        const before = sectionsOf(old)
        const text = replaceSection(old, "prices", before.prices, section)
        return isDeepStrictEqual(sectionsOf(text), text === old ? before : { ...before, prices: section })
          ? Effect.succeed({ text, param: "prices" })
          : Effect.fail(conflict(cannotWrite(path, "the section cannot be put into its text; change it by hand")))
      }
    ).pipe(Effect.map(fingerprintOf))
})

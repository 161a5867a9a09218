import type { ConfigurationCheck } from "@tollgate/contract/admin/Configuration"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { AccountsError, Fleet } from "@tollgate/gateway"
import type { PriceStore } from "@tollgate/gateway/operator"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { basename } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { Config } from "../config/Config.ts"
import { plan } from "../config/plan.ts"
import { check } from "../config/read.ts"
import { obstacle, reasonOf, replaceFile } from "../config/replaceFile.ts"
import { replaceSection } from "../config/text/edit.ts"
import { objectOf, parse } from "../config/text/jsonc.ts"

/** What is needed to change the file of a running gateway. */
export interface ConfigFileParts {
  readonly path: string | undefined
  /** Whether the operator allows it. */
  readonly isAllowed: boolean
  readonly current: () => Config
  readonly reload: Effect.Effect<ConfigurationCheck>
}

const conflict = (message: string) => new AccountsError({ reason: "conflict", message })

const fingerprintOf = (text: string): string => createHash("sha256").update(text).digest("hex")

const noFile = "The gateway runs without a configuration file. Start it with TOLLGATE_CONFIG, then apply prices here."
const notAllowed =
  "The gateway may not write its configuration file. To allow it, start the gateway with TOLLGATE_CONFIG_WRITE=on."
const severalGateways =
  "Several gateways share the store, and each has its own file. Change the file of each gateway, then reload."
const notReloaded = "The file was changed and not reloaded. Reload it or undo the change, then apply prices."
const changedMeanwhile = "The file was changed in the meantime. Nothing was written. Load it again, then apply prices."

const cannotWrite = (path: string, reason: string) =>
  `The gateway cannot write ${basename(path)}: ${reason}. Nothing was changed.`

const sectionsOf = (text: string): Readonly<Record<string, unknown>> =>
  objectOf(Result.getOrUndefined(parse(text))?.value)

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
    const inFile = yield* Effect.result(check(path, text))
    return Result.isSuccess(inFile) && inFile.success.digest === current().digest ? null : notReloaded
  })

  const read: PriceStore["read"] = Effect.gen(function* () {
    const text = path === undefined ? undefined : yield* textIn(path)
    const refusal = yield* refusalFor(path, text)
    return {
      section: (text === undefined ? undefined : sectionsOf(text).prices) ?? {},
      fingerprint: text === undefined ? null : fingerprintOf(text),
      refusal
    }
  })

  const write = (path: string, text: string, old: string) =>
    Effect.tryPromise({
      try: () => replaceFile(path, text, async () => (await readFile(path, "utf8")) === old),
      catch: (cause) => conflict(cannotWrite(path, reasonOf(cause)))
    })

  /** Nobody waits for what the file would be: the gateway goes on with the old configuration, and so does the file. */
  const putBack = (path: string, old: string, written: string) =>
    Effect.matchEffect(write(path, old, written), {
      onSuccess: (isBack) =>
        Effect.succeed(
          isBack ? "The old file is back." : "Somebody changed the file meanwhile, so it was left as it is."
        ),
      onFailure: ({ message }) =>
        Effect.as(
          Effect.logError("the configuration file could not be put back", { reason: message }),
          `The old file could not be put back: ${message}`
        )
    })

  const replaceIn = Effect.fnUntraced(function* (path: string, section: unknown, fingerprint: string) {
    const old = yield* textIn(path)
    const refusal = yield* refusalFor(path, old)
    if (old !== undefined && fingerprintOf(old) !== fingerprint) return yield* conflict(changedMeanwhile)
    if (refusal !== null || old === undefined) return yield* conflict(refusal ?? notReloaded)
    const before = sectionsOf(old)
    const text = replaceSection(old, "prices", before.prices, section)
    if (text === old) return fingerprint
    if (!isDeepStrictEqual(sectionsOf(text), { ...before, prices: section })) {
      return yield* conflict(cannotWrite(path, "the section cannot be put into its text; change it by hand"))
    }
    const problem = yield* Effect.flip(Effect.flatMap(check(path, text), plan)).pipe(Effect.option)
    if (problem._tag === "Some") {
      return yield* refuse("invalid_request", problem.value.problems.join("\n"), { param: "prices" })
    }
    if (!(yield* write(path, text, old))) return yield* conflict(changedMeanwhile)
    const reloaded = yield* Effect.exit(reload)
    if (Exit.isSuccess(reloaded) && reloaded.value.valid) return fingerprintOf(text)
    const end = yield* putBack(path, old, text)
    const problems = Exit.isSuccess(reloaded) ? reloaded.value.problems : ["the gateway's log has the reason"]
    return yield* conflict(["The gateway refused the new file.", end, ...problems].join("\n"))
  })

  const replace = (section: unknown, fingerprint: string): Effect.Effect<string, AccountsError | Refused> =>
    path === undefined
      ? Effect.fail(conflict(noFile))
      : Effect.provideContext(turn.withPermits(1)(replaceIn(path, section, fingerprint)), context)

  return { read: Effect.provideContext(read, context), replace } satisfies PriceStore
})

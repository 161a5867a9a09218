import type { CallError } from "../../errors/errors.ts"
import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import { contractVersion } from "@tollgate/contract/operations/contractVersion"
import type { Success } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { call } from "../../call/call.ts"
import type { Client } from "../../Client.ts"
import { docsRevision } from "../../generated/docsRevision.ts"

/** Identifies a contract: `contentHash` hashes its bytes, `docsRevision` the operations it is made from. */
interface Version {
  readonly contentHash: string
  readonly docsRevision: string
}

export interface Expected extends Partial<Version> {}

/** The server's contract differs from the expected one, so requests and answers may differ too. */
export class ContractMismatch extends TaggedError("ContractMismatch")<{
  readonly message: string
  readonly client: Expected
  readonly server: Version
}> {}

/**
 * The server's contract could not be read, because of `cause`. `missing`: the server answers but has no such endpoint.
 */
export class ContractUnverified extends TaggedError("ContractUnverified")<{
  readonly message: string
  readonly why: "missing" | "unavailable"
  readonly cause: CallError<typeof contractVersion>
}> {}

type Choice = "warn" | "fail"

export interface VerifyOptions {
  readonly onMismatch: Choice
  /** What to do if the server's contract cannot be read. Defaults to `onMismatch`. */
  readonly onUnverified?: Choice
  /**
   * The contract to expect. Defaults to the `docsRevision` of this client's operations. Names and bindings change only the
   * `contentHash`; `contentHash.ts` computes this client's. Where an operator sets prices or adds operations, use the values
   * that `contractVersion` returns.
   */
  readonly expect?: Expected
}

export type Verdict = "agreed" | "mismatch" | "unverified"

type Unverified<O extends VerifyOptions> = O extends { readonly onUnverified: infer C extends Choice }
  ? C
  : O["onMismatch"]

/** The errors that the options allow. */
export type VerifyError<O extends VerifyOptions> =
  | ("fail" extends O["onMismatch"] ? ContractMismatch : never)
  | ("fail" extends Unverified<O> ? ContractUnverified : never)

const version = call(contractVersion)

const parts = ["docsRevision", "contentHash"] as const

const mismatch = (client: Expected, server: Success<typeof contractVersion>): ContractMismatch | undefined => {
  const part = parts.find((part) => client[part] !== undefined && client[part] !== server[part])
  return part === undefined
    ? undefined
    : new ContractMismatch({
        message: `The server's contract differs: its ${part} is ${server[part]}, expected ${client[part]}`,
        client,
        server: { contentHash: server.contentHash, docsRevision: server.docsRevision }
      })
}

const unverified = (cause: CallError<typeof contractVersion>): ContractUnverified => {
  const why = "status" in cause && cause.status === 404 ? "missing" : "unavailable"
  return new ContractUnverified({ message: `The server's contract could not be read: ${cause.message}`, why, cause })
}

/** `verifyContract` with another way to warn: Effect's loggers would fill a bundle without Effect. */
export const verifyWith = <const O extends VerifyOptions>(
  options: O,
  warn: (message: string) => Effect.Effect<void>
): Effect.Effect<Verdict, VerifyError<O>, Client> => {
  const { expect = { docsRevision }, onMismatch, onUnverified = onMismatch } = options
  const end = <V extends "mismatch" | "unverified">(
    choice: Choice,
    verdict: V,
    error: ContractMismatch | ContractUnverified
  ) => (choice === "fail" ? Effect.fail(error as VerifyError<O>) : Effect.as(warn(error.message), verdict))
  return Effect.matchEffect(version(), {
    onFailure: (cause) => end(onUnverified, "unverified", unverified(cause)),
    onSuccess: (server) => {
      const found = mismatch(expect, server)
      return found === undefined ? Effect.succeed("agreed" as const) : end(onMismatch, "mismatch", found)
    }
  })
}

/** Asks the server for its contract version and compares it with the expected one. Free of charge. */
export const verifyContract = <const O extends VerifyOptions>(
  options: O
): Effect.Effect<Verdict, VerifyError<O>, Client> => verifyWith(options, Effect.logWarning)

/** Builds the client only after its contract is verified: `Client.layer(…).pipe(verifiedContract({ onMismatch: "fail" }))`. */
export const verifiedContract =
  <const O extends VerifyOptions>(options: O) =>
  <E, R>(client: Layer.Layer<Client, E, R>): Layer.Layer<Client, E | VerifyError<O>, R> =>
    Layer.tap(client, (context) => Effect.provideContext(verifyContract(options), context))

import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import type { Success } from "@tollgate/contract/Operation"
import { contractVersion } from "@tollgate/contract/operations/contractVersion"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { call } from "../call/call.ts"
import type { Client } from "../Client.ts"
import type { CallError } from "../errors/errors.ts"
import { docsRevision } from "../generated/docsRevision.ts"
import type { Abortable, CallPromise } from "./Promises.ts"
import { type AnyPromiseClient, isPromiseClient, onClient } from "./runner.ts"

/** Identifies a contract: `contentHash` hashes its bytes, `docsRevision` the operations it is made from. */
type Version = Pick<Success<typeof contractVersion>, "contentHash" | "docsRevision">

/** The server's contract differs from the expected one, so requests and answers may differ too. */
export class ContractMismatch extends TaggedError("ContractMismatch")<{
  readonly message: string
  readonly client: Partial<Version>
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

export interface VerifyOptions {
  /** What to do if the contracts differ, or the server's cannot be read. */
  readonly onMismatch: "warn" | "fail"
  /**
   * The contract to expect. Defaults to the `docsRevision` of this client's operations. Names and bindings change only the
   * `contentHash`; `contentHash.ts` computes this client's. Where an operator sets prices or adds operations, use the values
   * that `contractVersion` returns.
   */
  readonly expect?: Partial<Version>
}

export type Verdict = "agreed" | "mismatch" | "unverified"

/** The errors that the options allow. */
type VerifyError<O extends VerifyOptions> = O extends { readonly onMismatch: "warn" }
  ? never
  : ContractMismatch | ContractUnverified

const version = call(contractVersion)

const mismatch = (client: Partial<Version>, server: Version): ContractMismatch | undefined => {
  const part = (["docsRevision", "contentHash"] as const).find(
    (part) => client[part] !== undefined && client[part] !== server[part]
  )
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

const verify = ({ expect = { docsRevision }, onMismatch }: VerifyOptions) => {
  // Effect's loggers would fill a bundle without Effect.
  const end = (verdict: Verdict, error: ContractMismatch | ContractUnverified) =>
    onMismatch === "fail" ? Effect.fail(error) : Effect.as(Console.warn(error.message), verdict)
  return Effect.matchEffect(version(), {
    onFailure: (cause) => end("unverified", unverified(cause)),
    onSuccess: (server) => {
      const found = mismatch(expect, server)
      return found === undefined ? Effect.succeed<Verdict>("agreed") : end("mismatch", found)
    }
  })
}

interface VerifyContract {
  <const O extends VerifyOptions>(options: O): Effect.Effect<Verdict, VerifyError<O>, Client>
  (client: AnyPromiseClient, options: VerifyOptions, more?: Abortable): CallPromise<Verdict>
}

/**
 * Compares the gateway's contract with the client's. Free of charge. With promises the client comes first.
 *
 * @example
 * yield* verifyContract({ onMismatch: "fail" })
 * @example
 * await verifyContract(client, { onMismatch: "fail" })
 */
export const verifyContract: VerifyContract = (first: object, options?: VerifyOptions, more?: Abortable) =>
  (isPromiseClient(first) ? first[onClient](verify)(options as never, more) : verify(first as VerifyOptions)) as never

/** Builds the client only after its contract is verified: `Client.layer(…).pipe(verifiedContract({ onMismatch: "fail" }))`. */
export const verifiedContract =
  <const O extends VerifyOptions>(options: O) =>
  <E, R>(client: Layer.Layer<Client, E, R>): Layer.Layer<Client, E | VerifyError<O>, R> =>
    Layer.tap(client, (context) => Effect.provideContext(verifyContract(options), context))

/** What to do if the contracts differ, or the gateway's cannot be read. Default: fail. */
export type CheckOptions = Partial<Omit<VerifyOptions, "expect">>

/** Compares a gateway's contract with a known one. */
export interface CheckContract {
  (options?: CheckOptions): Effect.Effect<Verdict, ContractMismatch | ContractUnverified, Client>
  (client: AnyPromiseClient, options?: CheckOptions & Abortable): CallPromise<Verdict>
}

/** Makes the function that compares a gateway's contract with the one of this hash. Generated files export it. */
export const contractCheck = (contentHash: string): CheckContract => {
  const optionsOf = (options: CheckOptions = {}) =>
    ({ onMismatch: "fail", ...options, expect: { contentHash } }) as const
  return (first?: object, { signal, ...options }: CheckOptions & Abortable = {}): never =>
    (first !== undefined && isPromiseClient(first)
      ? verifyContract(first, optionsOf(options), signal === undefined ? {} : { signal })
      : verifyContract(optionsOf(first as CheckOptions))) as never
}

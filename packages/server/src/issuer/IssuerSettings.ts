import type { BigMicroUsd } from "@tollgate/contract/Money"

/** Signatures by a private key that only the issuer has. With a shared secret, whoever verifies could also sign. */
export const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519"
] as const

export type Algorithm = (typeof algorithms)[number]

/** An authorization server of the operator's own, whose JWT access tokens are credentials here. */
export interface IssuerSettings {
  /** The `iss` of its tokens, and the start of its metadata's address. */
  readonly issuer: string
  /** Where its keys are. Default: where its metadata says. */
  readonly jwksUri?: string
  /** A token for one of these is good for the whole gateway, as one for its base URL is. */
  readonly audiences?: ReadonlyArray<string>
  /** Default: every asymmetric algorithm. */
  readonly algorithms?: ReadonlyArray<Algorithm>
  /** The claim that `accounts` is about. Default: `sub`. */
  readonly subjectClaim?: string
  readonly accounts?: Readonly<Record<string, string>>
  /** A claim that holds the id of the account, for subjects that are not in `accounts`. */
  readonly accountClaim?: string
  /** The claim that holds the id of the client. Default: `client_id`, else `azp`. */
  readonly clientClaim?: string
  /** The most that one client may spend for one account. Default: no limit. */
  readonly spendingLimit?: BigMicroUsd
  /** The most that it may spend in a day. Default: no limit. */
  readonly dayLimit?: BigMicroUsd
  /** The amount above which each of its calls needs approval. Default: none does. */
  readonly askAbove?: BigMicroUsd
  /** Whether the issuer may be at a private address, and over http there. Default: no. */
  readonly private?: boolean
}

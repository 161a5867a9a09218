import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** A secret of the operator, which is read again while the gateway runs. */
export interface SecretSource {
  /** Where it is. */
  readonly at: string
  /** What it was when the configuration was read. */
  readonly first: Redacted.Redacted
  /** Fails with the reason. */
  readonly read: Effect.Effect<Redacted.Redacted, string>
}

export type Place =
  | { readonly kind: "aws"; readonly region: string }
  | { readonly kind: "google"; readonly project: string; readonly location: string }
  | {
      readonly kind: "azure"
      readonly tenant: string
      readonly clientId: string
      /** Without a trailing slash. */
      readonly authority: string
      readonly scope: string
    }

/** The cloud that an upstream is in: its addresses, its credential and its framing differ from those of the protocol. */
export type Cloud = Place & {
  /** The key of our account: of AWS, of a service account of Google, or of a client of Entra. Missing where an API key is sent. */
  readonly secret?: SecretSource
}

/** What makes it another account, or the same one with another secret. */
export const identityOf = ({ secret, ...place }: Cloud): ReadonlyArray<string> =>
  secret === undefined ? Object.values(place) : [...Object.values(place), secret.at, Redacted.value(secret.first)]

const HeaderText = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,8192}$/))

/** As the command line of AWS and its metadata services write it. */
const AwsCredential = Schema.Struct({
  AccessKeyId: HeaderText,
  SecretAccessKey: HeaderText,
  SessionToken: Schema.optionalKey(Schema.NullOr(HeaderText))
})
export type AwsCredential = typeof AwsCredential.Type

/** As the Google Cloud console writes it. */
const ServiceAccount = Schema.Struct({
  client_email: HeaderText,
  private_key: Schema.NonEmptyString,
  private_key_id: Schema.optionalKey(HeaderText),
  token_uri: Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s?#]+$/))
})
export type ServiceAccount = typeof ServiceAccount.Type

export const parseAwsCredential: (text: string) => Option.Option<AwsCredential> = Schema.decodeUnknownOption(
  Schema.fromJsonString(AwsCredential)
)

export const parseServiceAccount: (text: string) => Option.Option<ServiceAccount> = Schema.decodeUnknownOption(
  Schema.fromJsonString(ServiceAccount)
)

import * as Schema from "effect/Schema"
import { Text, TextOrNull, Time } from "../account/Amount.ts"
import { Label } from "../account/Key.ts"
import * as Api from "../Api.ts"

/** What an operator may do. Everybody reads. */
export const roles = {
  owner: "everything, operators and the configuration too",
  finance: "money, terms of accounts, prices and statements",
  support: "keys with a limit, apps and messages, and refunds up to a limit",
  reader: "nothing but reading"
} as const satisfies Record<Api.Role, string>

export const Role = Schema.Literals(["owner", "finance", "support", "reader"]).annotate({
  description: Object.entries(roles)
    .map(([role, words]) => `\`${role}\`: ${words}.`)
    .join(" ")
})
export type Role = typeof Role.Type

/** Whether a role may use a route. */
export const mayUse = ({ method, role }: Pick<Api.ApiRoute, "method" | "role">, asking: Role): boolean =>
  asking === "owner" || (role === undefined ? method === "GET" : role.includes(asking))

/** Somebody who operates the gateway. */
export const Operator = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  role: Role,
  provider: TextOrNull(
    "Who says who this is: the issuer. Then each sign-in sets name and role. `null`: a link of this gateway."
  ),
  created_at: Time,
  last_seen_at: Schema.NullOr(Time),
  ended: Schema.Boolean
}).annotate({ identifier: "Operator" })
export interface Operator extends Schema.Schema.Type<typeof Operator> {}

export const Operators = Schema.Struct({ operators: Schema.Array(Operator) })
export interface Operators extends Schema.Schema.Type<typeof Operators> {}

/** Who asks. */
export const Me = Schema.Struct({
  id: TextOrNull("`null`: who has the shared token."),
  name: Schema.String,
  role: Role,
  may: Schema.Array(Schema.String).annotate({ description: "The routes that it may use, by name." }),
  refund_limit_micros_usd: Schema.NullOr(Schema.Int).annotate({
    description:
      "The most that one refund of this operator gives back. All of a day (UTC) give back ten times as much. `null`: no limit."
  })
}).annotate({ identifier: "Me" })
export interface Me extends Schema.Schema.Type<typeof Me> {}

export const NewOperator = Schema.Struct({ name: Label, role: Role })
export interface NewOperator extends Schema.Schema.Type<typeof NewOperator> {}

export const OperatorTerms = Schema.Struct({ name: Schema.optionalKey(Label), role: Schema.optionalKey(Role) })
export interface OperatorTerms extends Schema.Schema.Type<typeof OperatorTerms> {}

export const SignInLink = Schema.Struct({
  url: Text("Signs in once, within 15 minutes."),
  expires_at: Time
}).annotate({ identifier: "SignInLink" })
export interface SignInLink extends Schema.Schema.Type<typeof SignInLink> {}

/** A token of an operator, for programs. */
const token = {
  id: Schema.String,
  operator: Schema.String,
  label: Schema.String,
  role: Role.annotate({ description: "What it may do; never more than its operator may by now." }),
  created_at: Time,
  ends_at: Time,
  last_used_at: Schema.NullOr(Time),
  ended: Schema.Boolean
}

export const OperatorToken = Schema.Struct(token).annotate({ identifier: "OperatorToken" })
export interface OperatorToken extends Schema.Schema.Type<typeof OperatorToken> {}

export const OperatorTokens = Schema.Struct({ tokens: Schema.Array(OperatorToken) })
export interface OperatorTokens extends Schema.Schema.Type<typeof OperatorTokens> {}

export const NewOperatorToken = Schema.Struct({
  label: Label,
  role: Schema.optionalKey(Role.annotate({ description: "Default: that of the operator." })),
  days: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 366 }, { expected: "1 to 366 days" }))
  ).annotate({ description: "When it ends. Default: 90." })
})
export interface NewOperatorToken extends Schema.Schema.Type<typeof NewOperatorToken> {}

export const MadeOperatorToken = Schema.Struct({
  ...token,
  token: Text("This is the token, shown this once: keep it.")
}).annotate({ identifier: "MadeOperatorToken" })
export interface MadeOperatorToken extends Schema.Schema.Type<typeof MadeOperatorToken> {}

export const operators = {
  me: Api.get("/me", { summary: "Who asks, and what they may do", success: Me }),
  operators: Api.get("/operators", { summary: "The operators, including ended ones", success: Operators }),
  createOperator: Api.post("/operators", {
    summary: "Adds an operator who signs in by links",
    body: NewOperator,
    success: Operator,
    status: 201,
    example: { body: { name: "Ada", role: "support" } }
  }),
  changeOperator: Api.patch("/operators/{id}", {
    summary: "Changes the name or the role of an operator, at once",
    description: "A role lets one in again who was ended. The last owner stays one.",
    body: OperatorTerms,
    success: Operator,
    conflicts: true,
    example: { body: { role: "reader" } }
  }),
  endOperator: Api.post("/operators/{id}/end", {
    summary: "Ends an operator with all sessions and tokens, at once",
    description: "The last owner stays.",
    body: Api.NoFields,
    success: Operator,
    conflicts: true,
    replay: "free"
  }),
  linkOperator: Api.post("/operators/{id}/links", {
    summary: "Creates a link with which an operator signs in",
    body: Api.NoFields,
    success: SignInLink,
    status: 201,
    conflicts: true
  })
} as const

export const tokens = {
  operatorTokens: Api.get("/tokens", {
    summary: "The tokens of operators, including ended ones",
    success: OperatorTokens
  }),
  createOperatorToken: Api.post("/tokens", {
    summary: "Creates a token of the operator who asks. Only this answer has the token itself",
    description: "Only a signed-in operator makes one, with a role that is part of their own.",
    body: NewOperatorToken,
    success: MadeOperatorToken,
    status: 201,
    conflicts: true,
    role: Api.everybody,
    example: { body: { label: "nightly export", role: "reader", days: 90 } }
  }),
  endOperatorToken: Api.post("/tokens/{id}/end", {
    summary: "Ends a token, at once",
    description: "Who is no owner ends their own, and a token itself.",
    body: Api.NoFields,
    success: OperatorToken,
    replay: "free",
    role: Api.everybody
  })
} as const

import { defaultGrantPolicy, type GrantPolicy } from "@tollgate/gateway/driver"
import { type IssuerSettings, issuerAlgorithms } from "@tollgate/server"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { Add } from "../text/Problem.ts"
import { Address, baseUrlProblem, Credit, optional, PrivateAllowed, text, Time, whole } from "../text/values.ts"

const Claim = Schema.NonEmptyString
const AccountId = text(/^acct_[0-9a-f]{20}$/u, 'an account id such as "acct_0123456789abcdef0123"')
const Login = Address("https://login.example.com")

/** The fields for an authorization server of your own. */
const issuerFields = {
  issuer: optional(Login, "Takes the JWT access tokens of this authorization server"),
  jwksUri: optional(Login, "Where its keys are. Default: where its metadata says"),
  audiences: optional(
    Schema.Array(Schema.NonEmptyString),
    "Audiences of its tokens, if they are not for the gateway's own address"
  ),
  algorithms: optional(
    Schema.NonEmptyArray(Schema.Literals(issuerAlgorithms)),
    "The signatures that are accepted. Default: every asymmetric one"
  ),
  subjectClaim: optional(Claim, 'The claim that "accounts" is about. Default: sub'),
  accounts: optional(Schema.Record(Schema.String, AccountId), "The account of each subject"),
  accountClaim: optional(Claim, "A claim that holds the id of the account"),
  clientClaim: optional(Claim, "The claim that holds the id of the client. Default: client_id, else azp"),
  spendingLimit: optional(Credit, "The most that each client may spend for an account. Default: no limit"),
  private: PrivateAllowed
}

const lifetimes = {
  accessTokens: optional(Time, "How long an access token is valid. Default: 1 hour"),
  refreshTokens: optional(Time, "How long a client may stay away and still get a new token. Default: 720 hours")
}

const GrantAmounts = Schema.Struct({
  total: optional(Schema.NullOr(Credit), "USD in total. null: no limit"),
  perDay: optional(Schema.NullOr(Credit), "USD in a day. null: no limit"),
  askAbove: optional(Schema.NullOr(Credit), "USD above which each call needs approval. null: none does"),
  days: optional(whole("days", 1, 3_650), "How long a grant lasts")
})

const grants = {
  grants: optional(
    Schema.Struct({
      default: optional(
        GrantAmounts,
        'What the consent page proposes. Default: "5" in total, "1" a day, no approval, 30 days'
      ),
      most: optional(GrantAmounts, "The most that they may choose. Default: no limit, 365 days")
    })
  )
}

/** The built-in authorization server, one of your own, or `false` for none. */
export const OAuthFile = Schema.Union([
  Schema.Literal(false),
  Schema.Struct({ ...lifetimes, ...grants, ...issuerFields })
])

type Given = Exclude<typeof OAuthFile.Type, false>

export interface OAuth {
  readonly accessTokenSeconds?: number
  readonly refreshTokenSeconds?: number
}

const bounds = { total: "limit", perDay: "dayLimit", askAbove: "askAbove", days: "days" } as const

type Amounts = typeof GrantAmounts.Type

const withAmounts = (base: GrantPolicy["most"], { askAbove, days, perDay, total }: Amounts): GrantPolicy["most"] => ({
  limit: total === undefined ? base.limit : total,
  dayLimit: perDay === undefined ? base.dayLimit : perDay,
  askAbove: askAbove === undefined ? base.askAbove : askAbove,
  days: days ?? base.days
})

type Lower = <A extends bigint | number>(one: A | null, other: A | null) => A | null
const lower: Lower = (one, other) => (one === null ? other : other === null || one < other ? one : other)

/** What is proposed is within the bounds. A default in the file that is not is an error; ours is lowered. */
const grantPolicyOf = (file: Given["grants"] = {}, add: Add): GrantPolicy => {
  const { default: given = {}, most: bound = {} } = file
  const most = withAmounts(defaultGrantPolicy.most, bound)
  const proposed = withAmounts(defaultGrantPolicy.proposed, given)
  for (const [name, field] of Object.entries(bounds)) {
    const chosen = given[name as keyof typeof bounds]
    const limit = most[field]
    const isOver = chosen !== undefined && limit !== null && (chosen === null || chosen > limit)
    if (isOver) add(["oauth", "grants", "default", name], 'it is more than "most" allows')
  }
  return {
    most,
    proposed: {
      limit: lower(proposed.limit, most.limit),
      dayLimit: lower(proposed.dayLimit, most.dayLimit),
      askAbove: lower(proposed.askAbove, most.askAbove),
      days: Math.min(proposed.days, most.days)
    }
  }
}

interface Resolved {
  /** `undefined`: the built-in authorization server is off. */
  readonly oauth: OAuth | undefined
  /** `undefined`: tokens of other issuers are not taken. */
  readonly issuer: IssuerSettings | undefined
  readonly grantPolicy: GrantPolicy
}

const issuerOf = (
  { issuer, ...rest }: Omit<Given, "grants" | keyof typeof lifetimes>,
  add: Add
): IssuerSettings | undefined => {
  if (issuer === undefined) {
    const [stray] = Object.keys(rest)
    if (stray !== undefined) {
      add(["oauth", stray], 'this is for an authorization server of your own: set "issuer"')
    }
    return undefined
  }
  const allowed = { private: rest.private ?? false, insecure: false }
  add(["oauth", "issuer"], baseUrlProblem(issuer, allowed))
  if (rest.jwksUri !== undefined) add(["oauth", "jwksUri"], baseUrlProblem(rest.jwksUri, allowed))
  if (rest.accounts === undefined && rest.accountClaim === undefined) {
    add(["oauth", "issuer"], 'say whose account a token is for: set "accounts" or "accountClaim"')
  }
  return { issuer, ...rest }
}

const seconds = (time: Duration.Duration): number => Math.max(1, Math.ceil(Duration.toSeconds(time)))

export const resolve = (file: typeof OAuthFile.Type = {}, add: Add): Resolved => {
  if (file === false) return { oauth: undefined, issuer: undefined, grantPolicy: defaultGrantPolicy }
  const { accessTokens, grants, refreshTokens, ...rest } = file
  const grantPolicy = grantPolicyOf(grants, add)
  const issuer = issuerOf(rest, add)
  if (issuer !== undefined) {
    for (const [name, time] of Object.entries({ accessTokens, refreshTokens })) {
      if (time !== undefined) add(["oauth", name], "the issuer says how long its tokens are valid")
    }
    // Nobody is asked: only what the file says limits these grants.
    const { askAbove, perDay } = grants?.default ?? {}
    return {
      oauth: undefined,
      issuer: {
        ...issuer,
        ...(perDay === undefined || perDay === null ? {} : { dayLimit: perDay }),
        ...(askAbove === undefined || askAbove === null ? {} : { askAbove })
      },
      grantPolicy
    }
  }
  const oauth: OAuth = {
    ...(accessTokens === undefined ? {} : { accessTokenSeconds: seconds(accessTokens) }),
    ...(refreshTokens === undefined ? {} : { refreshTokenSeconds: seconds(refreshTokens) })
  }
  return { oauth, issuer, grantPolicy }
}

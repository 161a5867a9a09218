import * as Api from "../Api.ts"
import { grants, link, tasks } from "./Access.ts"
import { approvals } from "./Approval.ts"
import { keys } from "./Key.ts"
import { limits } from "./LimitState.ts"
import { billing } from "./Billing.ts"
import { calls } from "./LoggedCall.ts"
import { models } from "./Models.ts"
import { operations } from "./Offer.ts"
import { payments } from "./Payment.ts"
import { demo, profile } from "./Profile.ts"
import { usage } from "./TagUsage.ts"

/** What the holder of a credential sees and does over HTTP. */
export const accountApi = {
  name: "account",
  prefix: "/account/v1",
  title: "Account API",
  description:
    "What the holder of a credential sees and does. Its requests do not count towards the limits of the key. " +
    "Times are ISO 8601 in UTC, unless the name of a parameter says otherwise.",
  credential: "An API key or an OAuth access token.",
  groups: {
    profile,
    calls,
    usage,
    billing,
    payments,
    limits,
    tasks,
    keys,
    grants,
    approvals,
    link,
    operations,
    models,
    demo,
    document: Api.document
  }
} as const satisfies Api.Api

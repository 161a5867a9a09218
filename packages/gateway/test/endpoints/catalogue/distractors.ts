import * as declared from "@tollgate/contract/errors/Family"
import { usd } from "@tollgate/contract/Money"
import { Open } from "@tollgate/contract/Open"
import * as Operation from "@tollgate/contract/Operation"
import { IntFromQuery, OpenQuery } from "@tollgate/contract/QueryStyle"
import * as limits from "@tollgate/contract/limits"
import * as Schema from "effect/Schema"

/** Things that operators sell data about, with the category that they would choose, and a part of each. */
const subjects: ReadonlyArray<readonly [string, Operation.Category, string]> = [
  ["weather station", "web traffic", "measurements"],
  ["hotel", "web traffic", "rooms"],
  ["flight", "web traffic", "stopovers"],
  ["airport", "web traffic", "departures"],
  ["restaurant", "web traffic", "dishes"],
  ["recipe", "web traffic", "ingredients"],
  ["train station", "web traffic", "platforms"],
  ["parcel", "web traffic", "scans"],
  ["domain name", "web traffic", "records"],
  ["certificate", "web traffic", "issuers"],
  ["advertisement", "web traffic", "impressions"],
  ["backlink", "web traffic", "anchors"],
  ["newsletter", "web traffic", "issues"],
  ["news article", "web traffic", "paragraphs"],
  ["search result", "web traffic", "snippets"],
  ["landing page", "web traffic", "forms"],
  ["bond", "finance", "coupons"],
  ["currency pair", "finance", "quotes"],
  ["cryptocurrency", "finance", "exchanges"],
  ["commodity", "finance", "contracts"],
  ["stock index", "finance", "members"],
  ["fund", "finance", "holdings"],
  ["annual filing", "finance", "sections"],
  ["insider trade", "finance", "owners"],
  ["dividend", "finance", "payments"],
  ["invoice", "finance", "lines"],
  ["bank branch", "finance", "opening hours"],
  ["loan", "finance", "instalments"],
  ["tax rate", "finance", "brackets"],
  ["economic indicator", "finance", "releases"],
  ["podcast", "social", "episodes"],
  ["channel", "social", "playlists"],
  ["playlist", "social", "tracks"],
  ["forum thread", "social", "participants"],
  ["blog article", "social", "readers"],
  ["photo album", "social", "photos"],
  ["live broadcast", "social", "viewers"],
  ["group", "social", "moderators"],
  ["event", "social", "guests"],
  ["product listing", "social", "sellers"],
  ["product review", "social", "votes"],
  ["brand", "social", "mentions"],
  ["song", "social", "covers"],
  ["film festival", "social", "juries"],
  ["direct message", "social", "attachments"],
  ["poll", "social", "options"],
  ["embedding", "models", "vectors"],
  ["translation", "models", "alternatives"],
  ["transcript", "models", "speakers"],
  ["voice", "models", "languages"],
  ["moderation label", "models", "scores"],
  ["fine-tuned model", "models", "checkpoints"],
  ["prompt template", "models", "versions"],
  ["handwriting scan", "models", "pages"],
  ["subtitle file", "video", "cues"],
  ["video effect", "video", "presets"],
  ["avatar", "video", "poses"],
  ["cinema", "video", "screenings"],
  ["customer account", "account", "permissions"],
  ["team", "account", "seats"]
]

const actions: ReadonlyArray<
  readonly [verb: string, summary: (subject: string, part: string) => string, parameter: string]
> = [
  ["search", (subject) => `Search for a ${subject} by name`, "query"],
  ["detail", (subject) => `Get the details of a ${subject}`, "id"],
  ["list", (subject, part) => `List the ${part} of a ${subject}`, "cursor"],
  ["history", (subject) => `Get how a ${subject} changed over time`, "since"],
  ["create", (subject) => `Create a ${subject} from a description`, "description"]
]

/** Three hundred operations as operators define them in the configuration file. */
export const distractors: ReadonlyArray<Operation.Operation> = subjects.flatMap(([subject, category, part]) =>
  actions.map(([verb, summary, parameter]) => {
    const name = subject.replaceAll(/[ -]/g, "_")
    const creates = verb === "create"
    return Operation.make({
      id: `${name}.${verb}`,
      category,
      summary: summary(subject, part),
      method: creates ? "POST" : "GET",
      path: `/apis/v1/data/${name}/${verb}`,
      request: creates
        ? { body: Open({ [parameter]: Schema.String }) }
        : {
            query: OpenQuery({
              [parameter]: Schema.String.annotate({ description: `Which ${subject}` }),
              limit: Schema.optionalKey(IntFromQuery)
            })
          },
      success: Open({}),
      errors: declared.billed,
      family: "data",
      price: { contract: "per_request", amount: usd("0.002") },
      limit: limits.standard,
      replay: "billed",
      upstream: "managed",
      pending: [{ open: "response", what: "body" }]
    })
  })
)

// A made-up API of any size, as its operator would describe it in the section `operations`.

type Json = Readonly<Record<string, unknown>>

interface WrittenParameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required?: boolean
  readonly description: string
  readonly sentAs?: string
  readonly schema: Json
}

/** An entry of the section `operations`. */
export interface WrittenOperation {
  readonly id: string
  readonly category: string
  readonly summary: string
  readonly description: string
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly parameters: ReadonlyArray<WrittenParameter>
  readonly body?: { readonly schema: Json; readonly type: "json"; readonly required: true }
  readonly answer: { readonly schema: Json }
  readonly price: { readonly amount: number }
  readonly upstream: { readonly name: string; readonly path: string }
}

/** Each area has resources that belong to the same owner. */
const areas: ReadonlyArray<readonly [category: string, owner: string, resources: string]> = [
  ["repositories", "repository", "branch tag release webhook deploy_key collaborator topic commit fork stargazer"],
  ["issues", "repository", "issue label milestone assignee comment reaction timeline_event lock duplicate template"],
  ["pull requests", "repository", "pull_request review review_comment requested_reviewer merge draft check suite"],
  ["actions", "repository", "workflow workflow_run job artifact cache secret variable runner runner_group permission"],
  ["organizations", "organization", "member team invitation role blocked_user audit_event security_manager domain"],
  ["teams", "team", "membership discussion child_team project sync_group maintainer reviewer_policy nickname"],
  ["billing", "organization", "invoice payment_method subscription seat usage_report budget credit tax_rate refund"],
  ["packages", "organization", "package package_version container registry download license_scan vulnerability mirror"],
  ["projects", "project", "card column field view iteration status_update draft_item automation board archive"],
  ["users", "user", "email ssh_key gpg_key follower block_list notification_setting session social_account status"],
  ["gists", "user", "gist gist_comment gist_fork gist_star revision snippet attachment share_link bookmark note"],
  ["security", "repository", "alert advisory secret_scan code_scan dependency_graph policy exception sbom finding"],
  ["calendar", "calendar", "event attendee reminder availability holiday room booking time_zone recurrence"],
  ["contacts", "address_book", "contact contact_group address phone_number birthday relation photo merge_request"],
  ["documents", "workspace", "document page block permission_link export template_gallery suggestion footnote"],
  ["storage", "drive", "file folder file_version upload trash_item quota share shortcut change_feed checksum"],
  ["messaging", "channel", "message thread reaction_emoji pin mention attachment_preview scheduled_message poll"],
  ["commerce", "shop", "product order cart coupon shipment return customer price_list stock_level gift_card"],
  ["analytics", "property", "report dashboard metric segment funnel audience experiment goal annotation export_job"],
  ["maps", "region", "place route isochrone elevation tile geocode boundary transit_stop traffic_incident address"]
]

const spaced = (name: string): string => name.replaceAll("_", " ")
const plural = (name: string): string =>
  /(?:s|x|ch|sh)$/.test(name)
    ? `${name}es`
    : name.endsWith("y") && !/[aeiou]y$/.test(name)
      ? `${name.slice(0, -1)}ies`
      : `${name}s`
const pascal = (name: string): string =>
  name
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")
const article = (word: string): string => (/^[aeiou]/.test(word) ? "an" : "a")

const shared: Json = {
  Timestamp: { type: "string", format: "date-time", description: "A time in ISO 8601" },
  Person: {
    type: "object",
    required: ["id", "login"],
    properties: {
      id: { type: "integer" },
      login: { type: "string", description: "The name to sign in with" },
      type: { enum: ["person", "robot"] },
      manager: { $ref: "#/schemas/Person" }
    }
  },
  Reference: { oneOf: [{ type: "integer" }, { type: "string", pattern: "^[a-z0-9-]+$" }] }
}

const resourceSchema = (name: string): Json => ({
  type: "object",
  required: ["id", "name"],
  properties: {
    id: { type: "integer", description: `The number of the ${spaced(name)}` },
    name: { type: "string", maxLength: 200 },
    state: { enum: ["active", "archived", "pending"] },
    tags: { type: "array", items: { type: "string" } },
    created_by: { $ref: "#/schemas/Person" },
    created_at: { $ref: "#/schemas/Timestamp" },
    settings: { type: "object", additionalProperties: { type: ["string", "null"] } }
  }
})

const inputSchema = (name: string): Json => ({
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", minLength: 1, maxLength: 200, description: `What the ${spaced(name)} is called` },
    state: { enum: ["active", "archived"], default: "active" },
    tags: { type: "array", maxItems: 50, items: { type: "string" } },
    owner: { $ref: "#/schemas/Reference" }
  }
})

const inPath = (name: string): WrittenParameter => ({
  name,
  in: "path",
  required: true,
  description: `The ${spaced(name)}`,
  schema: { type: "string" }
})

const paging: ReadonlyArray<WrittenParameter> = [
  {
    name: "page",
    in: "query",
    description: "Which page of the results",
    schema: { type: "integer", minimum: 1, default: 1 }
  },
  {
    name: "per_page",
    in: "query",
    sentAs: "limit",
    description: "Results on each page",
    schema: { type: "integer", minimum: 1, maximum: 100 }
  }
]

interface Resource {
  readonly category: string
  readonly owner: string
  readonly name: string
  /** Parts that tell the operations of a repeated resource apart. */
  readonly version: number
}

interface Verb {
  readonly verb: string
  readonly method: WrittenOperation["method"]
  /** Whether it is about one of the resources, or about all. */
  readonly one: boolean
  readonly summary: (resource: Resource) => string
}

const ofOwner = ({ name, owner }: Resource, many: boolean): string =>
  `${many ? spaced(plural(name)) : `${article(name)} ${spaced(name)}`} of ${article(owner)} ${spaced(owner)}`

const verbs: ReadonlyArray<Verb> = [
  { verb: "list", method: "GET", one: false, summary: (of) => `List the ${ofOwner(of, true)}` },
  { verb: "get", method: "GET", one: true, summary: (of) => `Get ${ofOwner(of, false)}` },
  { verb: "create", method: "POST", one: false, summary: (of) => `Create ${ofOwner(of, false)}` },
  { verb: "update", method: "PATCH", one: true, summary: (of) => `Update ${ofOwner(of, false)}` },
  { verb: "replace", method: "PUT", one: true, summary: (of) => `Replace the settings of ${ofOwner(of, false)}` },
  { verb: "delete", method: "DELETE", one: true, summary: (of) => `Delete ${ofOwner(of, false)}` }
]

const resourcesOf = (version: number): ReadonlyArray<Resource> =>
  areas.flatMap(([category, owner, resources]) =>
    resources.split(" ").map((name) => ({ category, owner, name, version }))
  )

const entryOf = (resource: Resource, { method, one, summary, verb }: Verb, upstream: string): WrittenOperation => {
  const { category, name, owner, version } = resource
  const area = category.replaceAll(" ", "_")
  const suffix = version === 0 ? "" : `_${version + 1}`
  const many = plural(name)
  const hasBody = method === "POST" || method === "PATCH" || method === "PUT"
  const id = `${name}_id`
  return {
    id: `acme.${area}.${verb}_${one || verb === "create" ? name : many}${suffix}`,
    category,
    summary: summary(resource),
    description: `${summary(resource)}. Needs access to the ${spaced(owner)}; answers are at most a minute old.`,
    method,
    path: `/acme/v${version + 1}/${area}/{${owner}}/${many}${one ? `/{${id}}` : ""}`,
    parameters: [
      inPath(owner),
      ...(one ? [inPath(id)] : []),
      ...(verb === "list" ? paging : []),
      { name: "X-Acme-Version", in: "header", schema: { type: "string" }, description: "The version of the interface" }
    ],
    ...(hasBody ? { body: { schema: { $ref: `#/schemas/${pascal(name)}Input` }, type: "json", required: true } } : {}),
    answer: {
      schema:
        verb === "list"
          ? { type: "array", items: { $ref: `#/schemas/${pascal(name)}` } }
          : verb === "delete"
            ? {}
            : { $ref: `#/schemas/${pascal(name)}` }
    },
    price: method === "GET" ? { amount: 0.0005 } : { amount: 0.002 },
    upstream: { name: upstream, path: `/${area}/{${owner}}/${many}${one ? `/{${id}}` : ""}` }
  }
}

/** A file of operations: an API with areas, resources and verbs, whose schemas share references. */
export const manyOperations = (
  count = 1_000,
  upstream = "acme"
): { readonly schemas: Json; readonly operations: ReadonlyArray<WrittenOperation> } => {
  const operations: Array<WrittenOperation> = []
  for (let version = 0; operations.length < count; version++) {
    for (const resource of resourcesOf(version)) {
      for (const verb of verbs) if (operations.length < count) operations.push(entryOf(resource, verb, upstream))
    }
  }
  const names = new Set(resourcesOf(0).map(({ name }) => name))
  const schemas = [...names].flatMap((name) => [
    [pascal(name), resourceSchema(name)],
    [`${pascal(name)}Input`, inputSchema(name)]
  ])
  return { schemas: { ...shared, ...Object.fromEntries(schemas) }, operations }
}

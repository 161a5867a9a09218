import * as declared from "@tollgate/contract/errors/declared"
import type { Family } from "@tollgate/contract/errors/Family"
import { bodyLimits, type Operation } from "@tollgate/contract/Operation"
import { choices, defaultOutputLimit, outputLimit } from "@tollgate/contract/price/outputLimit"
import type { Price } from "@tollgate/contract/price/Price"
import { limits } from "@tollgate/contract/Tier"
import * as Schema from "effect/Schema"
import type { Description } from "./Description.ts"
import { splitter } from "./split.ts"

const texts = /* @__PURE__ */ Schema.Record(Schema.String, Schema.String)

/** A value is a text, or it is missing. */
const inPath = /* @__PURE__ */ Schema.Record(
  Schema.String,
  /* @__PURE__ */ Schema.String.annotate({ message: "Missing field" })
)

const hasOwnFields = (family: string): family is keyof typeof outputLimit => Object.hasOwn(outputLimit, family)

const modelFields = (family: Family) => {
  const protocol = hasOwnFields(family) ? family : "openai"
  return { outputLimit: outputLimit[protocol], choices: choices[protocol] }
}

/** The gateway knows the amounts. The client needs only what counts tokens, for its pace. */
const priceOf = (contract: Price["contract"], family: Family): Price => {
  switch (contract) {
    case "free":
      return { contract }
    case "model_tokens":
      return { contract, models: {}, defaultOutputLimit, ...modelFields(family) }
    case "per_token":
      return { contract, perMillion: "pending", texts: [] }
    default:
      return { contract: "per_request", amount: "pending" }
  }
}

/** The operation that a description describes. Its answer is not checked: the gateway and the upstream are as they are. */
export const operationOf = (description: Description): Operation => {
  const { body, family = "data", header, headers, id, limit, method, open, path, price, query, replay } = description
  const { errors = price === "free" ? declared.free : declared.billed } = description
  const hasPath = path.includes("{")
  return {
    id,
    category: "",
    summary: "",
    method,
    path,
    request: {
      ...(hasPath ? { path: inPath } : {}),
      ...(query === undefined ? {} : { query: texts }),
      ...(header === undefined ? {} : { header: texts }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body: Schema.Unknown })
    },
    success: Schema.Unknown,
    contentType: "application/json",
    errors,
    family,
    price: priceOf(price, family),
    limit: limit ?? limits.standard,
    bodyLimit: bodyLimits.model,
    replay,
    upstream: "managed",
    access: open === true ? "open" : "credential",
    pending: [],
    mayBeEmpty: true,
    split: splitter(description)
  }
}

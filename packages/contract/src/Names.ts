import * as Schema from "effect/Schema"

const segment = /* @__PURE__ */ Schema.String.check(
  /* @__PURE__ */ Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, { expected: "letters, digits, _ and - only" })
)

/**
 * The configurable names of vendors and platforms. Paths, header names and operation ids are templates with placeholders
 * such as `{social_a}`. Server and client must use the same `Names`.
 */
export const Names = /* @__PURE__ */ Schema.Struct({
  /** The platform of `tweetQuotes` and `follow`. */
  social_a: segment,
  /** The platform of `postComments` and `userStories`. */
  social_b: segment,
  /** The platform of `creatorInsights`, `tagDetail` and `wordSuggestions`. */
  social_c: segment,
  /** The vendor of the data of platforms. */
  reseller: segment,
  /** The vendor of `trafficEngagement`. */
  traffic_analytics: segment,
  /** Names headers, such as `X-Tollgate-Cost-State`. */
  provider: /* @__PURE__ */ Schema.String.check(
    /* @__PURE__ */ Schema.isPattern(/^[A-Za-z0-9]{1,40}$/, { expected: "letters and digits only" })
  )
})
export type Names = typeof Names.Type

export const defaults: Names = {
  social_a: "social_a",
  social_b: "social_b",
  social_c: "social_c",
  reseller: "reseller",
  traffic_analytics: "traffic_analytics",
  provider: "Tollgate"
}

const placeholder = /\{(social_a|social_b|social_c|reseller|traffic_analytics|provider)\}/g

/** Replaces the placeholders with the names. Other braces, such as the path parameter `{task_id}`, stay. */
export const fill = (template: string, names: Names): string =>
  template.replace(placeholder, (_, word: keyof Names) => names[word])

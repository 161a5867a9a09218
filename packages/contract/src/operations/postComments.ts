import * as Schema from "effect/Schema"
import { usd } from "../Money.ts"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { OpenQuery } from "../QueryStyle.ts"
import { CommentPage } from "../resources/Comments.ts"

export const summary = "List the top-level comments on a post"
export const description = "What people reply to a post, a picture or a video, and who wrote it."

/** `postCommentsItems` reads all pages. */
export const postComments = Operation.make({
  ...kinds.dataRead,
  id: "{social_b}.post_comments",
  category: "social",
  path: "/apis/v1/{social_b}/post/comments",
  request: {
    query: OpenQuery({ url: Schema.optionalKey(Schema.String).annotate({ description: "The address of the post." }) })
  },
  success: CommentPage,
  price: { contract: "response_count", perItem: usd("0.00188"), items: "comments", most: 50 },
  pending: [{ open: "parameter", role: "cursor", type: "string", description: "That of the page before." }]
})

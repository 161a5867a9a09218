import * as Schema from "effect/Schema"
import { Maybe, maybeAll, Open } from "../Open.ts"

export const CommentUser = Open({
  is_verified: Maybe(Schema.Boolean),
  is_unpublished: Schema.optionalKey(Schema.Unknown),
  ...maybeAll(["id", "pk", "profile_pic_url", "username", "fbid_v2"], Schema.String)
})
export interface CommentUser extends Schema.Schema.Type<typeof CommentUser> {}

export const Comment = Open({
  id: Schema.String,
  ...maybeAll(["text", "created_at"], Schema.String),
  ...maybeAll(["comment_like_count", "child_comment_count"], Schema.Int),
  user: Maybe(CommentUser)
})
export interface Comment extends Schema.Schema.Type<typeof Comment> {
  readonly user?: CommentUser | null
}

export const CommentPage = Open({
  success: Schema.Boolean,
  credits_remaining: Maybe(Schema.Int),
  comments: Schema.Array(Comment),
  cursor: Maybe(Schema.String)
}).annotate({ identifier: "CommentPage" })
export interface CommentPage extends Schema.Schema.Type<typeof CommentPage> {
  readonly comments: ReadonlyArray<Comment>
}

import { fill } from "@tollgate/contract/Names"
import { postComments as operation } from "@tollgate/contract/operations/postComments"
import { Comment, type CommentPage } from "@tollgate/contract/resources/Comments"
import * as Effect from "effect/Effect"
import { InvalidInput, type Handler } from "../BilledAnswer.ts"
import * as Query from "./query.ts"
import { page } from "./query.ts"
import { seededRandom } from "../SeededRandom.ts"
import { person, sentence } from "./people.ts"
import { inventWhole } from "../text/invent.ts"

const size = 15

const comment = (url: string, at: number): Comment => {
  const from = seededRandom("comment", url, at)
  const { handle, id, picture } = person(from)
  const posted = seededRandom("post", url).int(Date.UTC(2025, 0, 1), Date.UTC(2025, 11, 1))
  const invented = inventWhole(Comment, `${url} ${at}`)
  return {
    ...invented,
    id: from.digits(17),
    text: sentence(from),
    created_at: new Date(posted + at * 3_600_000 + from.int(0, 3_599_999)).toISOString(),
    user: { ...invented.user, id, pk: id, profile_pic_url: picture, username: handle }
  }
}

/** Up to 60 comments, depending on the post's URL. The interface does not name the `cursor` parameter; the sandbox does. */
export const comments: Handler = Effect.fnUntraced(function* (request, { names }) {
  const query = yield* Query.of(request)
  const url = yield* Query.required(query, "url")
  const here = page(`comments ${url}`, seededRandom("comments", url).int(0, 60), size, query.get("cursor"))
  if (here === undefined) return yield* new InvalidInput({ message: "cursor is not valid for this post" })
  const body: CommentPage = {
    success: true,
    credits_remaining: seededRandom("credits", url, here.from).int(1_000, 90_000),
    comments: Array.from({ length: here.to - here.from }, (_, at) => comment(url, here.from + at)),
    ...(here.next === undefined ? {} : { cursor: here.next })
  }
  return { operation: fill(operation.id, names), body, billed: { items: body.comments.length } }
})

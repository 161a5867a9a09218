import type { Handler } from "../BilledAnswer.ts"
import { comments } from "./comments.ts"
import { financial } from "./financial.ts"
import { authorize } from "./platform/authorize.ts"
import { follow } from "./platform/token.ts"
import { token } from "./platform/token.ts"
import { quotes } from "./quotes.ts"
import { cached } from "./reseller/reseller.ts"
import { insights, tags, userStoriesOf, words } from "./reseller/reseller.ts"
import { traffic } from "./traffic.ts"

/** By method and path; the path is a template over `Names`. */
export const table: Readonly<Record<string, Handler>> = {
  "GET /apis/v1/{social_b}/post/comments": comments,
  "GET /apis/v1/{reseller}/{social_c}/app/v3/fetch_creator_search_insights_videos": insights,
  "GET /apis/v1/{reseller}/{social_c}/shop/web/fetch_search_word_suggestion_v2": words,
  "GET /apis/v1/{reseller}/{social_c}/web/fetch_tag_detail": tags,
  "GET /apis/v1/{reseller}/{social_b}/v2/fetch_user_stories": userStoriesOf,
  "GET /apis/v1/{reseller}/cache/{id}": (_, { parameters }) => cached(parameters["id"]),
  "GET /apis/v1/financial/financial-metrics/snapshot": financial,
  "GET /apis/v1/{social_a}/tweet/quotes": quotes,
  "GET /apis/v1/{traffic_analytics}/website/traffic-engagement": traffic,
  "POST /apis/v1/{social_a}/follow_{social_a}": follow,
  "GET /platform/authorize": authorize,
  "POST /platform/token": token
}

import { cachedAnswer } from "../../operations/cachedAnswer.ts"
import { creatorInsights } from "../../operations/creatorInsights.ts"
import { financialSnapshot } from "../../operations/financialSnapshot.ts"
import { follow } from "../../operations/follow.ts"
import { postComments } from "../../operations/postComments.ts"
import { rerank } from "../../operations/rerank.ts"
import { rerankV2 } from "../../operations/rerankV2.ts"
import { tagDetail } from "../../operations/tagDetail.ts"
import { trafficEngagement } from "../../operations/trafficEngagement.ts"
import { tweetQuotes } from "../../operations/tweetQuotes.ts"
import { userStories } from "../../operations/userStories.ts"
import { wordSuggestions } from "../../operations/wordSuggestions.ts"
import type { Examples } from "../Example.ts"

const ranking = {
  query: "Which river is longest?",
  documents: ["Mount Everest is the highest mountain.", "The Nile is the longest river in Africa."],
  top_n: 1
}

export const data: Examples = {
  [follow.id]: [{ note: "First link an account to the key, as above.", body: { target_user_id: "12" } }],
  [postComments.id]: [{ query: { url: "https://photos.example/p/river" } }],
  [creatorInsights.id]: [{ query: { keyword: "rivers", offset: "0", page_size: "5" } }],
  [wordSuggestions.id]: [{ query: { search_word: "canoe", language: "en", region: "US" } }],
  [tagDetail.id]: [{ query: { tag_name: "rivers" } }],
  [userStories.id]: [{ query: { username: "ada" } }],
  [cachedAnswer.id]: [
    {
      note: "A paid answer of the four operations above has the address in its `cache_url`.",
      variables: [
        {
          name: "id",
          source: { answerTo: tagDetail.id, read: 'cache_url?.split("/").at(-1) ?? ""' },
          sample: "0f8b2c4d6e8f0a1b2c3d4e5f60718293"
        }
      ],
      path: { id: "$id" }
    }
  ],
  [financialSnapshot.id]: [{ query: { ticker: "ACME" } }],
  [tweetQuotes.id]: [{ query: { tweetId: "1700000000000000000" } }],
  [trafficEngagement.id]: [{ query: { domain: "example.com" } }],
  [rerank.id]: [{ body: ranking }],
  [rerankV2.id]: [{ body: { model: "rerank", ...ranking } }]
}

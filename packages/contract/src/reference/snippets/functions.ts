import { cachedAnswer } from "../../operations/cachedAnswer.ts"
import { chatCompletions } from "../../operations/chatCompletions.ts"
import { contractSource } from "../../operations/contractSource.ts"
import { contractVersion } from "../../operations/contractVersion.ts"
import { countTokens } from "../../operations/countTokens.ts"
import { creatorInsights } from "../../operations/creatorInsights.ts"
import { deepResearch } from "../../operations/deepResearch.ts"
import { embeddings } from "../../operations/embeddings.ts"
import { financialSnapshot } from "../../operations/financialSnapshot.ts"
import { follow } from "../../operations/follow.ts"
import { generateContent } from "../../operations/generateContent.ts"
import { imageGenerate } from "../../operations/imageGenerate.ts"
import { linkStart } from "../../operations/linkStart.ts"
import { messages } from "../../operations/messages.ts"
import { modelGet } from "../../operations/modelGet.ts"
import { modelList } from "../../operations/modelList.ts"
import { modelListGemini } from "../../operations/modelListGemini.ts"
import { postComments } from "../../operations/postComments.ts"
import { rerank } from "../../operations/rerank.ts"
import { rerankV2 } from "../../operations/rerankV2.ts"
import { responses } from "../../operations/responses.ts"
import { salesData } from "../../operations/salesData.ts"
import { streamGenerateContent } from "../../operations/streamGenerateContent.ts"
import { tagDetail } from "../../operations/tagDetail.ts"
import { taskGet } from "../../operations/taskGet.ts"
import { trafficEngagement } from "../../operations/trafficEngagement.ts"
import { tweetQuotes } from "../../operations/tweetQuotes.ts"
import { usage } from "../../operations/usage.ts"
import { userStories } from "../../operations/userStories.ts"
import { videoCreate } from "../../operations/videoCreate.ts"
import { wordSuggestions } from "../../operations/wordSuggestions.ts"

const called = {
  cachedAnswer,
  chatCompletions,
  contractSource,
  contractVersion,
  countTokens,
  creatorInsights,
  deepResearch,
  embeddings,
  financialSnapshot,
  follow,
  generateContent,
  imageGenerate,
  linkStart,
  messages,
  modelGet,
  modelList,
  modelListGemini,
  postComments,
  rerank,
  rerankV2,
  responses,
  salesData,
  tagDetail,
  taskGet,
  trafficEngagement,
  tweetQuotes,
  usage,
  userStories,
  videoCreate,
  wordSuggestions
}

const streamed = {
  chatCompletionsStream: chatCompletions,
  deepResearchStream: deepResearch,
  generateContentStream: streamGenerateContent,
  messagesStream: messages,
  responsesStream: responses
}

type Names = ReadonlyMap<string, string>

const byId = (functions: Readonly<Record<string, { readonly id: string }>>): Names =>
  new Map(Object.entries(functions).map(([name, { id }]) => [id, name]))

/** The client's function for each operation, by the operation's id, which is a template. */
export const calls: Names = byId(called)
/** Those that stream the answer. */
export const streams: Names = byId(streamed)

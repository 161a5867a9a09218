// `pnpm generate` writes this file from those in `operations/`. Only the order of `named` is kept as you change it.

import type { Operation } from "./Operation.ts"
import { accountBalance } from "./operations/accountBalance.ts"
import { accountPrices } from "./operations/accountPrices.ts"
import { cachedAnswer } from "./operations/cachedAnswer.ts"
import { chatCompletions } from "./operations/chatCompletions.ts"
import { contractSource } from "./operations/contractSource.ts"
import { contractVersion } from "./operations/contractVersion.ts"
import { countTokens } from "./operations/countTokens.ts"
import { creatorInsights } from "./operations/creatorInsights.ts"
import { deepResearch } from "./operations/deepResearch.ts"
import { embeddings } from "./operations/embeddings.ts"
import { financialSnapshot } from "./operations/financialSnapshot.ts"
import { follow } from "./operations/follow.ts"
import { generateContent } from "./operations/generateContent.ts"
import { imageGenerate } from "./operations/imageGenerate.ts"
import { linkCallback } from "./operations/linkCallback.ts"
import { linkStart } from "./operations/linkStart.ts"
import { messages } from "./operations/messages.ts"
import { modelGet } from "./operations/modelGet.ts"
import { modelList } from "./operations/modelList.ts"
import { modelListGemini } from "./operations/modelListGemini.ts"
import { postComments } from "./operations/postComments.ts"
import { rerank } from "./operations/rerank.ts"
import { rerankV2 } from "./operations/rerankV2.ts"
import { responses } from "./operations/responses.ts"
import { salesData } from "./operations/salesData.ts"
import { streamGenerateContent } from "./operations/streamGenerateContent.ts"
import { tagDetail } from "./operations/tagDetail.ts"
import { taskGet } from "./operations/taskGet.ts"
import { trafficEngagement } from "./operations/trafficEngagement.ts"
import { tweetQuotes } from "./operations/tweetQuotes.ts"
import { usage } from "./operations/usage.ts"
import { userStories } from "./operations/userStories.ts"
import { videoCreate } from "./operations/videoCreate.ts"
import { wordSuggestions } from "./operations/wordSuggestions.ts"

/** Every operation of the interface by its name, in the order of the reference. */
export const named: Readonly<Record<string, Operation>> = {
  usage,
  linkStart,
  linkCallback,
  accountBalance,
  accountPrices,
  follow,
  videoCreate,
  taskGet,
  rerank,
  rerankV2,
  postComments,
  creatorInsights,
  wordSuggestions,
  tagDetail,
  userStories,
  cachedAnswer,
  financialSnapshot,
  tweetQuotes,
  trafficEngagement,
  chatCompletions,
  responses,
  messages,
  countTokens,
  generateContent,
  streamGenerateContent,
  deepResearch,
  embeddings,
  imageGenerate,
  modelList,
  modelGet,
  modelListGemini,
  contractVersion,
  contractSource,
  salesData
}

export const operations: ReadonlyArray<Operation> = Object.values(named)

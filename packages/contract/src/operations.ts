// `pnpm generate` writes this file from those in `operations/`. Only the order of `named` is kept as you change it.

import type { Operation } from "./Operation.ts"
import { description as accountBalanceDescription, accountBalance } from "./operations/accountBalance.ts"
import { description as accountPricesDescription, accountPrices } from "./operations/accountPrices.ts"
import { description as cachedAnswerDescription, cachedAnswer } from "./operations/cachedAnswer.ts"
import { description as chatCompletionsDescription, chatCompletions } from "./operations/chatCompletions.ts"
import { description as contractSourceDescription, contractSource } from "./operations/contractSource.ts"
import { description as contractVersionDescription, contractVersion } from "./operations/contractVersion.ts"
import { description as countTokensDescription, countTokens } from "./operations/countTokens.ts"
import { description as creatorInsightsDescription, creatorInsights } from "./operations/creatorInsights.ts"
import { description as deepResearchDescription, deepResearch } from "./operations/deepResearch.ts"
import { description as embeddingsDescription, embeddings } from "./operations/embeddings.ts"
import { description as financialSnapshotDescription, financialSnapshot } from "./operations/financialSnapshot.ts"
import { description as followDescription, follow } from "./operations/follow.ts"
import { description as generateContentDescription, generateContent } from "./operations/generateContent.ts"
import { description as imageGenerateDescription, imageGenerate } from "./operations/imageGenerate.ts"
import { linkCallback } from "./operations/linkCallback.ts"
import { description as linkStartDescription, linkStart } from "./operations/linkStart.ts"
import { description as messagesDescription, messages } from "./operations/messages.ts"
import { modelGet } from "./operations/modelGet.ts"
import { description as modelListDescription, modelList } from "./operations/modelList.ts"
import { modelListGemini } from "./operations/modelListGemini.ts"
import { description as postCommentsDescription, postComments } from "./operations/postComments.ts"
import { description as rerankDescription, rerank } from "./operations/rerank.ts"
import { description as rerankV2Description, rerankV2 } from "./operations/rerankV2.ts"
import { description as responsesDescription, responses } from "./operations/responses.ts"
import { description as salesDataDescription, salesData } from "./operations/salesData.ts"
import {
  description as streamGenerateContentDescription,
  streamGenerateContent
} from "./operations/streamGenerateContent.ts"
import { description as tagDetailDescription, tagDetail } from "./operations/tagDetail.ts"
import { description as taskGetDescription, taskGet } from "./operations/taskGet.ts"
import { description as trafficEngagementDescription, trafficEngagement } from "./operations/trafficEngagement.ts"
import { description as tweetQuotesDescription, tweetQuotes } from "./operations/tweetQuotes.ts"
import { description as usageDescription, usage } from "./operations/usage.ts"
import { description as userStoriesDescription, userStories } from "./operations/userStories.ts"
import { description as videoCreateDescription, videoCreate } from "./operations/videoCreate.ts"
import { description as wordSuggestionsDescription, wordSuggestions } from "./operations/wordSuggestions.ts"

/** Every operation of the interface by its name, with its description, in the order of the reference. */
export const named: Readonly<Record<string, Operation>> = {
  usage: { ...usage, description: usageDescription },
  linkStart: { ...linkStart, description: linkStartDescription },
  linkCallback,
  accountBalance: { ...accountBalance, description: accountBalanceDescription },
  accountPrices: { ...accountPrices, description: accountPricesDescription },
  follow: { ...follow, description: followDescription },
  videoCreate: { ...videoCreate, description: videoCreateDescription },
  taskGet: { ...taskGet, description: taskGetDescription },
  rerank: { ...rerank, description: rerankDescription },
  rerankV2: { ...rerankV2, description: rerankV2Description },
  postComments: { ...postComments, description: postCommentsDescription },
  creatorInsights: { ...creatorInsights, description: creatorInsightsDescription },
  wordSuggestions: { ...wordSuggestions, description: wordSuggestionsDescription },
  tagDetail: { ...tagDetail, description: tagDetailDescription },
  userStories: { ...userStories, description: userStoriesDescription },
  cachedAnswer: { ...cachedAnswer, description: cachedAnswerDescription },
  financialSnapshot: { ...financialSnapshot, description: financialSnapshotDescription },
  tweetQuotes: { ...tweetQuotes, description: tweetQuotesDescription },
  trafficEngagement: { ...trafficEngagement, description: trafficEngagementDescription },
  chatCompletions: { ...chatCompletions, description: chatCompletionsDescription },
  responses: { ...responses, description: responsesDescription },
  messages: { ...messages, description: messagesDescription },
  countTokens: { ...countTokens, description: countTokensDescription },
  generateContent: { ...generateContent, description: generateContentDescription },
  streamGenerateContent: { ...streamGenerateContent, description: streamGenerateContentDescription },
  deepResearch: { ...deepResearch, description: deepResearchDescription },
  embeddings: { ...embeddings, description: embeddingsDescription },
  imageGenerate: { ...imageGenerate, description: imageGenerateDescription },
  modelList: { ...modelList, description: modelListDescription },
  modelGet,
  modelListGemini,
  contractVersion: { ...contractVersion, description: contractVersionDescription },
  contractSource: { ...contractSource, description: contractSourceDescription },
  salesData: { ...salesData, description: salesDataDescription }
}

export const operations: ReadonlyArray<Operation> = Object.values(named)

// `pnpm generate` writes this file from those in `operations/`. Only the order of `named` is kept as you change it.

import type { Operation } from "./Operation.ts"
import * as accountBalance from "./operations/accountBalance.ts"
import * as accountPrices from "./operations/accountPrices.ts"
import * as cachedAnswer from "./operations/cachedAnswer.ts"
import * as chatCompletions from "./operations/chatCompletions.ts"
import * as contractSource from "./operations/contractSource.ts"
import * as contractVersion from "./operations/contractVersion.ts"
import * as countTokens from "./operations/countTokens.ts"
import * as creatorInsights from "./operations/creatorInsights.ts"
import * as deepResearch from "./operations/deepResearch.ts"
import * as embeddings from "./operations/embeddings.ts"
import * as financialSnapshot from "./operations/financialSnapshot.ts"
import * as follow from "./operations/follow.ts"
import * as generateContent from "./operations/generateContent.ts"
import * as imageGenerate from "./operations/imageGenerate.ts"
import * as linkCallback from "./operations/linkCallback.ts"
import * as linkStart from "./operations/linkStart.ts"
import * as messages from "./operations/messages.ts"
import * as modelGet from "./operations/modelGet.ts"
import * as modelList from "./operations/modelList.ts"
import * as modelListGemini from "./operations/modelListGemini.ts"
import * as postComments from "./operations/postComments.ts"
import * as rerank from "./operations/rerank.ts"
import * as rerankV2 from "./operations/rerankV2.ts"
import * as responses from "./operations/responses.ts"
import * as salesData from "./operations/salesData.ts"
import * as streamGenerateContent from "./operations/streamGenerateContent.ts"
import * as tagDetail from "./operations/tagDetail.ts"
import * as taskGet from "./operations/taskGet.ts"
import * as trafficEngagement from "./operations/trafficEngagement.ts"
import * as tweetQuotes from "./operations/tweetQuotes.ts"
import * as usage from "./operations/usage.ts"
import * as userStories from "./operations/userStories.ts"
import * as videoCreate from "./operations/videoCreate.ts"
import * as wordSuggestions from "./operations/wordSuggestions.ts"

/** Every operation of the interface by its name, with its summary and description, in the order of the reference. */
export const named: Readonly<Record<string, Operation>> = {
  usage: { ...usage.usage, summary: usage.summary, description: usage.description },
  linkStart: { ...linkStart.linkStart, summary: linkStart.summary, description: linkStart.description },
  linkCallback: { ...linkCallback.linkCallback, summary: linkCallback.summary },
  accountBalance: {
    ...accountBalance.accountBalance,
    summary: accountBalance.summary,
    description: accountBalance.description
  },
  accountPrices: {
    ...accountPrices.accountPrices,
    summary: accountPrices.summary,
    description: accountPrices.description
  },
  follow: { ...follow.follow, summary: follow.summary, description: follow.description },
  videoCreate: { ...videoCreate.videoCreate, summary: videoCreate.summary, description: videoCreate.description },
  taskGet: { ...taskGet.taskGet, summary: taskGet.summary, description: taskGet.description },
  rerank: { ...rerank.rerank, summary: rerank.summary, description: rerank.description },
  rerankV2: { ...rerankV2.rerankV2, summary: rerankV2.summary, description: rerankV2.description },
  postComments: { ...postComments.postComments, summary: postComments.summary, description: postComments.description },
  creatorInsights: {
    ...creatorInsights.creatorInsights,
    summary: creatorInsights.summary,
    description: creatorInsights.description
  },
  wordSuggestions: {
    ...wordSuggestions.wordSuggestions,
    summary: wordSuggestions.summary,
    description: wordSuggestions.description
  },
  tagDetail: { ...tagDetail.tagDetail, summary: tagDetail.summary, description: tagDetail.description },
  userStories: { ...userStories.userStories, summary: userStories.summary, description: userStories.description },
  cachedAnswer: { ...cachedAnswer.cachedAnswer, summary: cachedAnswer.summary, description: cachedAnswer.description },
  financialSnapshot: {
    ...financialSnapshot.financialSnapshot,
    summary: financialSnapshot.summary,
    description: financialSnapshot.description
  },
  tweetQuotes: { ...tweetQuotes.tweetQuotes, summary: tweetQuotes.summary, description: tweetQuotes.description },
  trafficEngagement: {
    ...trafficEngagement.trafficEngagement,
    summary: trafficEngagement.summary,
    description: trafficEngagement.description
  },
  chatCompletions: {
    ...chatCompletions.chatCompletions,
    summary: chatCompletions.summary,
    description: chatCompletions.description
  },
  responses: { ...responses.responses, summary: responses.summary, description: responses.description },
  messages: { ...messages.messages, summary: messages.summary, description: messages.description },
  countTokens: { ...countTokens.countTokens, summary: countTokens.summary, description: countTokens.description },
  generateContent: {
    ...generateContent.generateContent,
    summary: generateContent.summary,
    description: generateContent.description
  },
  streamGenerateContent: {
    ...streamGenerateContent.streamGenerateContent,
    summary: streamGenerateContent.summary,
    description: streamGenerateContent.description
  },
  deepResearch: { ...deepResearch.deepResearch, summary: deepResearch.summary, description: deepResearch.description },
  embeddings: { ...embeddings.embeddings, summary: embeddings.summary, description: embeddings.description },
  imageGenerate: {
    ...imageGenerate.imageGenerate,
    summary: imageGenerate.summary,
    description: imageGenerate.description
  },
  modelList: { ...modelList.modelList, summary: modelList.summary, description: modelList.description },
  modelGet: { ...modelGet.modelGet, summary: modelGet.summary },
  modelListGemini: { ...modelListGemini.modelListGemini, summary: modelListGemini.summary },
  contractVersion: {
    ...contractVersion.contractVersion,
    summary: contractVersion.summary,
    description: contractVersion.description
  },
  contractSource: {
    ...contractSource.contractSource,
    summary: contractSource.summary,
    description: contractSource.description
  },
  salesData: { ...salesData.salesData, summary: salesData.summary, description: salesData.description }
}

export const operations: ReadonlyArray<Operation> = Object.values(named)

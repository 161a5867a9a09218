import { cachedAnswer as cachedAnswerOperation } from "@tollgate/contract/operations/cachedAnswer"
import { chatCompletions as chatCompletionsOperation } from "@tollgate/contract/operations/chatCompletions"
import { contractSource as contractSourceOperation } from "@tollgate/contract/operations/contractSource"
import { contractVersion as contractVersionOperation } from "@tollgate/contract/operations/contractVersion"
import { creatorInsights as creatorInsightsOperation } from "@tollgate/contract/operations/creatorInsights"
import { deepResearch as deepResearchOperation } from "@tollgate/contract/operations/deepResearch"
import { financialSnapshot as financialSnapshotOperation } from "@tollgate/contract/operations/financialSnapshot"
import { follow as followOperation } from "@tollgate/contract/operations/follow"
import { generateContent as generateContentOperation } from "@tollgate/contract/operations/generateContent"
import { imageGenerate as imageGenerateOperation } from "@tollgate/contract/operations/imageGenerate"
import { linkStart as linkStartOperation } from "@tollgate/contract/operations/linkStart"
import { messages as messagesOperation } from "@tollgate/contract/operations/messages"
import { modelList as modelListOperation } from "@tollgate/contract/operations/modelList"
import { modelListGemini as modelListGeminiOperation } from "@tollgate/contract/operations/modelListGemini"
import { postComments as postCommentsOperation } from "@tollgate/contract/operations/postComments"
import { rerank as rerankOperation } from "@tollgate/contract/operations/rerank"
import { salesData as salesDataOperation } from "@tollgate/contract/operations/salesData"
import { streamGenerateContent as streamGenerateContentOperation } from "@tollgate/contract/operations/streamGenerateContent"
import { tagDetail as tagDetailOperation } from "@tollgate/contract/operations/tagDetail"
import { taskGet as taskGetOperation } from "@tollgate/contract/operations/taskGet"
import { trafficEngagement as trafficEngagementOperation } from "@tollgate/contract/operations/trafficEngagement"
import { tweetQuotes as tweetQuotesOperation } from "@tollgate/contract/operations/tweetQuotes"
import { usage as usageOperation } from "@tollgate/contract/operations/usage"
import { userStories as userStoriesOperation } from "@tollgate/contract/operations/userStories"
import { videoCreate as videoCreateOperation } from "@tollgate/contract/operations/videoCreate"
import { wordSuggestions as wordSuggestionsOperation } from "@tollgate/contract/operations/wordSuggestions"
import { call } from "./call.ts"
import { pending } from "./pending/pending.ts"
import { anthropic, gemini, openai } from "./stream/Protocol.ts"
import { streaming } from "./stream/streaming.ts"

// Every function of the client. A new operation is a line here.
// The annotation lets a bundler drop the functions that a page does not use.

/** An earlier answer, read again at no charge. */
export const cachedAnswer = /* @__PURE__ */ call(cachedAnswerOperation)

/** Answers a conversation, in the OpenAI style. */
export const chatCompletions = /* @__PURE__ */ call(chatCompletionsOperation)

/** Answers a conversation, in the OpenAI style, as a stream of events. */
export const chatCompletionsStream = /* @__PURE__ */ streaming(chatCompletionsOperation, openai)

/** The contract, whole or for one operation. */
export const contractSource = /* @__PURE__ */ call(contractSourceOperation)

/** Which contract is served. */
export const contractVersion = /* @__PURE__ */ call(contractVersionOperation)

/** Videos behind a creator search insight. */
export const creatorInsights = /* @__PURE__ */ call(/* @__PURE__ */ pending(creatorInsightsOperation))

/** Searches and reasons over many sources. */
export const deepResearch = /* @__PURE__ */ call(/* @__PURE__ */ pending(deepResearchOperation))

/** Searches and reasons over many sources, as a stream of events. Its path is bound in the client's options. */
export const deepResearchStream = /* @__PURE__ */ streaming(/* @__PURE__ */ pending(deepResearchOperation), openai)

/** Financial metrics of a company as they stand. */
export const financialSnapshot = /* @__PURE__ */ call(financialSnapshotOperation)

/** Follows a user on behalf of the linked account. If the outcome is unknown, it fails with `OutcomeUnknown` and is not retried. */
export const follow = /* @__PURE__ */ call(followOperation)

/** Generates content, in the Gemini style. */
export const generateContent = /* @__PURE__ */ call(generateContentOperation)

/** Generates content, in the Gemini style, as a stream of events. */
export const generateContentStream = /* @__PURE__ */ streaming(streamGenerateContentOperation, gemini)

/** Generates an image. */
export const imageGenerate = /* @__PURE__ */ call(/* @__PURE__ */ pending(imageGenerateOperation))

/** Starts linking a platform account: the user opens `auth_url` and approves. */
export const linkStart = /* @__PURE__ */ call(linkStartOperation)

/** Answers a conversation, in the Anthropic style. */
export const messages = /* @__PURE__ */ call(messagesOperation)

/** Answers a conversation, in the Anthropic style, as a stream of events. */
export const messagesStream = /* @__PURE__ */ streaming(messagesOperation, anthropic)

/** The models that can be called. */
export const modelList = /* @__PURE__ */ call(modelListOperation)

/** The models that can be called, in the Gemini style. */
export const modelListGemini = /* @__PURE__ */ call(modelListGeminiOperation)

/** Top-level comments of a post. */
export const postComments = /* @__PURE__ */ call(/* @__PURE__ */ pending(postCommentsOperation))

export { postCommentsItems, postCommentsPages } from "./page/postCommentsPages.ts"

/** Orders documents by their relevance to a query. */
export const rerank = /* @__PURE__ */ call(rerankOperation)

/** The last verified snapshot of sales data. `sourceState` reads what its 503 says. */
export const salesData = /* @__PURE__ */ call(salesDataOperation)

/** What a tag is about. */
export const tagDetail = /* @__PURE__ */ call(tagDetailOperation)

/** How far a task has come. */
export const taskGet = /* @__PURE__ */ call(taskGetOperation)

/** How visitors engage with a website. */
export const trafficEngagement = /* @__PURE__ */ call(trafficEngagementOperation)

/** Posts that quote a post. */
export const tweetQuotes = /* @__PURE__ */ call(tweetQuotesOperation)

export { tweetQuotesItems, tweetQuotesPages } from "./page/tweetQuotesPages.ts"

/** What the credential has used and been charged, by day. */
export const usage = /* @__PURE__ */ call(usageOperation)

/** Stories of a user. */
export const userStories = /* @__PURE__ */ call(userStoriesOperation)

/** Starts generating a video. If the outcome is unknown, it fails with `OutcomeUnknown` and is not retried. */
export const videoCreate = /* @__PURE__ */ call(videoCreateOperation)

export { awaitVideo, generateVideo } from "./video/awaitVideo.ts"
export { videoProgress } from "./video/videoProgress.ts"

/** Search words that a shop suggests. */
export const wordSuggestions = /* @__PURE__ */ call(/* @__PURE__ */ pending(wordSuggestionsOperation))

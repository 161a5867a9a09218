// Every function of the client, with its types.

export * from "./generated/operations.ts"
export { postCommentsItems, postCommentsPages } from "./after/page/postCommentsPages.ts"
export { tweetQuotesItems, tweetQuotesPages } from "./after/page/tweetQuotesPages.ts"
export { awaitVideo, generateVideo } from "./after/video/videoProgress.ts"
export { videoProgress } from "./after/video/videoProgress.ts"

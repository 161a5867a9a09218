// Every function of the client, with its types.

export * from "./generated/operations.ts"
export { postCommentsItems, postCommentsPages } from "./workflows/page/postCommentsPages.ts"
export { tweetQuotesItems, tweetQuotesPages } from "./workflows/page/tweetQuotesPages.ts"
export { awaitVideo, generateVideo, videoProgress } from "./workflows/video/videoProgress.ts"

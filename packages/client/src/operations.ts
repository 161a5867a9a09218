// Every function of the client, with its types.

export * from "./generated/operations.ts"
export { postCommentsItems, postCommentsPages } from "./page/postCommentsPages.ts"
export { tweetQuotesItems, tweetQuotesPages } from "./page/tweetQuotesPages.ts"
export { awaitVideo, generateVideo } from "./video/awaitVideo.ts"
export { videoProgress } from "./video/videoProgress.ts"

// `pnpm generate` writes this file from those in `operations/`. Only the order of `modules` is kept as you change it.

import * as accountBalance from "../operations/accountBalance.ts"
import * as accountPrices from "../operations/accountPrices.ts"
import * as batchEmbedContents from "../operations/batchEmbedContents.ts"
import * as cachedAnswer from "../operations/cachedAnswer.ts"
import * as chatCompletions from "../operations/chatCompletions.ts"
import * as completions from "../operations/completions.ts"
import * as contractSource from "../operations/contractSource.ts"
import * as contractVersion from "../operations/contractVersion.ts"
import * as conversationCreate from "../operations/conversationCreate.ts"
import * as conversationDelete from "../operations/conversationDelete.ts"
import * as conversationGet from "../operations/conversationGet.ts"
import * as conversationItemDelete from "../operations/conversationItemDelete.ts"
import * as conversationItemGet from "../operations/conversationItemGet.ts"
import * as conversationItems from "../operations/conversationItems.ts"
import * as conversationItemsAdd from "../operations/conversationItemsAdd.ts"
import * as conversationUpdate from "../operations/conversationUpdate.ts"
import * as countTokens from "../operations/countTokens.ts"
import * as countTokensGemini from "../operations/countTokensGemini.ts"
import * as creatorInsights from "../operations/creatorInsights.ts"
import * as deepResearch from "../operations/deepResearch.ts"
import * as embedContent from "../operations/embedContent.ts"
import * as embeddings from "../operations/embeddings.ts"
import * as financialSnapshot from "../operations/financialSnapshot.ts"
import * as follow from "../operations/follow.ts"
import * as generateContent from "../operations/generateContent.ts"
import * as imageEdit from "../operations/imageEdit.ts"
import * as imageGenerate from "../operations/imageGenerate.ts"
import * as linkCallback from "../operations/linkCallback.ts"
import * as linkStart from "../operations/linkStart.ts"
import * as messages from "../operations/messages.ts"
import * as modelGet from "../operations/modelGet.ts"
import * as modelGetGemini from "../operations/modelGetGemini.ts"
import * as modelList from "../operations/modelList.ts"
import * as modelListGemini from "../operations/modelListGemini.ts"
import * as moderations from "../operations/moderations.ts"
import * as postComments from "../operations/postComments.ts"
import * as rerank from "../operations/rerank.ts"
import * as rerankV2 from "../operations/rerankV2.ts"
import * as responseDelete from "../operations/responseDelete.ts"
import * as responseGet from "../operations/responseGet.ts"
import * as responseInputItems from "../operations/responseInputItems.ts"
import * as responses from "../operations/responses.ts"
import * as responsesInputTokens from "../operations/responsesInputTokens.ts"
import * as salesData from "../operations/salesData.ts"
import * as speech from "../operations/speech.ts"
import * as streamGenerateContent from "../operations/streamGenerateContent.ts"
import * as tagDetail from "../operations/tagDetail.ts"
import * as taskGet from "../operations/taskGet.ts"
import * as trafficEngagement from "../operations/trafficEngagement.ts"
import * as transcription from "../operations/transcription.ts"
import * as tweetQuotes from "../operations/tweetQuotes.ts"
import * as usage from "../operations/usage.ts"
import * as userStories from "../operations/userStories.ts"
import * as videoCreate from "../operations/videoCreate.ts"
import * as wordSuggestions from "../operations/wordSuggestions.ts"

export const modules = {
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
  responseDelete,
  responseGet,
  responseInputItems,
  conversationCreate,
  conversationGet,
  conversationUpdate,
  conversationDelete,
  conversationItems,
  conversationItemsAdd,
  conversationItemGet,
  conversationItemDelete,
  batchEmbedContents,
  countTokensGemini,
  embedContent,
  modelGetGemini,
  completions,
  moderations,
  responsesInputTokens,
  speech,
  imageEdit,
  transcription,
  contractVersion,
  contractSource,
  salesData
}

import type { Question } from "./Question.ts"

const anyChat = ["chat.completions", "messages", "responses", "models.generate_content"]
const anyRerank = ["rerank", "rerank.v2"]
const anyModelList = ["models.list", "models.list_gemini"]

/**
 * Written before the ranking was looked at. While the ranking was worked on, only the totals of these questions were
 * measured, three times, and never which of them fail. Do not tune to them: add questions to `working.ts`.
 */
export const heldBack: ReadonlyArray<Question> = [
  ["which of these paragraphs best answers the user's question", anyRerank],
  ["re-rank passages with the Cohere API", ["rerank.v2"]],
  ["turn sentences into vectors for semantic search", ["embeddings"]],
  ["have an LLM write a haiku", anyChat],
  ["call Claude with a system prompt", ["messages"]],
  ["gpt conversation endpoint", ["chat.completions", "responses"]],
  ["OpenAI responses endpoint", ["responses"]],
  ["ask gemini something", ["models.generate_content", "models.stream_generate_content"]],
  ["stream tokens from Gemini as they are produced", ["models.stream_generate_content"]],
  ["how long is my prompt in tokens", ["messages.count_tokens"]],
  ["what LLMs can I use here", anyModelList],
  ["is there a model called small-1", ["models.get"]],
  ["draw a cat wearing a hat", ["images.generate"]],
  ["make a short clip from a text description", ["video.create"]],
  ["is my video ready yet", ["task.get"]],
  ["thorough investigation of a topic with many web sources", ["deep_research.search"]],
  ["P/E ratio of a stock", ["financial.metrics_snapshot"]],
  ["market cap of Apple", ["financial.metrics_snapshot"]],
  ["how popular is this website", ["{traffic_analytics}.traffic_engagement"]],
  ["bounce rate for a domain", ["{traffic_analytics}.traffic_engagement"]],
  ["who retweeted this with a comment", ["{social_a}.tweet_quotes"]],
  ["start following somebody", ["{social_a}.follow"]],
  ["connect my social media account", ["{social_a}.auth"]],
  ["log in with the platform so you can act for me", ["{social_a}.auth"]],
  ["what do people say below this post", ["{social_b}.post_comments"]],
  ["see someone's stories", ["{reseller}.{social_b}.user_stories"]],
  ["information about a hashtag", ["{reseller}.{social_c}.tag_detail"]],
  ["keyword ideas for a web shop", ["{reseller}.{social_c}.search_word_suggestion"]],
  ["which videos belong to a search insight for creators", ["{reseller}.{social_c}.creator_search_insights_videos"]],
  ["fetch the previous result again without paying", ["{reseller}.cached_answer"]],
  ["how much money do I have left", ["account.balance"]],
  ["am I about to hit my spending limit", ["account.balance"]],
  ["remaining credit", ["account.balance"]],
  ["how much did I spend last week", ["usage"]],
  ["daily consumption report", ["usage"]],
  ["price per call of everything", ["account.prices"]],
  ["how expensive is a request", ["account.prices"]],
  ["machine readable description of the API", ["contracts.source"]],
  ["has the contract changed since yesterday", ["contracts.version"]],
  ["latest verified sales figures", ["sales_api_data"]]
]

/** The same, asked of a catalogue that also has 1,000 operations of others. */
export const heldBackAmongMany: ReadonlyArray<Question> = [
  ["pick the most relevant documents for a query", anyRerank],
  ["sort search hits by how well they match", anyRerank],
  ["vector representation of a text", ["embeddings"]],
  ["let a language model answer", anyChat],
  ["chat with an assistant", anyChat],
  ["Anthropic messages", ["messages"]],
  ["count prompt tokens", ["messages.count_tokens"]],
  ["available language models", anyModelList],
  ["gemini generate content", ["models.generate_content", "models.stream_generate_content"]],
  ["create a picture from a prompt", ["images.generate"]],
  ["text to video", ["video.create"]],
  ["poll a running task", ["task.get"]],
  ["research a question in depth", ["deep_research.search"]],
  ["fundamentals of a company by ticker", ["financial.metrics_snapshot"]],
  ["website visitors per month", ["{traffic_analytics}.traffic_engagement"]],
  ["posts quoting a tweet", ["{social_a}.tweet_quotes"]],
  ["follow a user", ["{social_a}.follow"]],
  ["link a social account", ["{social_a}.auth"]],
  ["comments on a post", ["{social_b}.post_comments"]],
  ["stories of a user", ["{reseller}.{social_b}.user_stories"]],
  ["hashtag details", ["{reseller}.{social_c}.tag_detail"]],
  ["search suggestions of a shop", ["{reseller}.{social_c}.search_word_suggestion"]],
  ["creator insights videos", ["{reseller}.{social_c}.creator_search_insights_videos"]],
  ["cached answer", ["{reseller}.cached_answer"]],
  ["my balance", ["account.balance"]],
  ["budget left today", ["account.balance"]],
  ["what have I been charged", ["usage"]],
  ["what does it cost", ["account.prices"]],
  ["version of the contract", ["contracts.version"]],
  ["sales data snapshot", ["sales_api_data"]]
]

import type { Question } from "./Question.ts"

/** Asked for without the words of the summaries. The ranking was worked on with these. */
export const everyday: ReadonlyArray<Question> = [
  ["will my money last until Friday", ["account.balance"]],
  ["is there anything left on my account", ["account.balance"]],
  ["list the last charges", ["usage"]],
  ["what would a thousand embeddings set me back", ["account.prices"]],
  ["which operations cost nothing", ["account.prices"]],
  [
    "pull the names out of a letter with an LLM",
    ["chat.completions", "messages", "responses", "models.generate_content"]
  ],
  ["send a prompt in OpenAI's newer format", ["responses"]],
  ["does my text fit into Claude's window", ["messages.count_tokens"]],
  ["show Gemini's answer while it is still being produced", ["models.stream_generate_content"]],
  ["background on a topic from all over the net", ["deep_research.search"]],
  ["I need a picture for a birthday card", ["images.generate"]],
  ["tell me about the model sandbox-small", ["models.get"]],
  ["put the best matching paragraphs on top", ["rerank", "rerank.v2"]],
  ["ten second ad of a car driving at night", ["video.create"]],
  ["where do I get the finished movie", ["task.get"]],
  ["profit margin of Nvidia", ["financial.metrics_snapshot"]],
  ["how long do readers stay on a blog", ["{traffic_analytics}.traffic_engagement"]],
  ["tweets that share mine with their own words", ["{social_a}.tweet_quotes"]],
  ["how big is the hashtag #booktok", ["{reseller}.{social_c}.tag_detail"]],
  ["what do shoppers type when looking for sneakers", ["{reseller}.{social_c}.search_word_suggestion"]],
  ["I closed the window before I saw the response, get it once more", ["{reseller}.cached_answer"]],
  ["what happens after the user agreed on the platform", ["{social_a}.oauth_callback"]],
  ["swagger of everything", ["contracts.source"]]
]

/** Written with them. Only their totals were looked at, but whoever wrote the words of the search had written these too. */
export const otherEveryday: ReadonlyArray<Question> = [
  ["how close am I to the ceiling", ["account.balance"]],
  ["why is my invoice so high", ["usage"]],
  ["which day was the most expensive", ["usage"]],
  ["give me the rate card", ["account.prices"]],
  ["rephrase this sentence politely", ["chat.completions", "messages", "responses", "models.generate_content"]],
  ["solve a math problem step by step", ["chat.completions", "messages", "responses", "models.generate_content"]],
  ["reply by the haiku model", ["messages"]],
  ["use Google's model to caption a photo", ["models.generate_content", "models.stream_generate_content"]],
  ["compare what the press says on electric cars, with links", ["deep_research.search"]],
  ["how similar are two sentences", ["embeddings"]],
  ["names of all models you support", ["models.list", "models.list_gemini"]],
  ["models for the google client library", ["models.list_gemini"]],
  ["cohere compatible relevance ranking", ["rerank.v2"]],
  ["how far along is the rendering", ["task.get"]],
  ["is Tesla overpriced", ["financial.metrics_snapshot"]],
  ["do many people visit nytimes.com", ["{traffic_analytics}.traffic_engagement"]],
  ["what was answered below a reel", ["{social_b}.post_comments"]],
  ["become a fan of an account", ["{social_a}.follow"]],
  ["what did she put in her story today", ["{reseller}.{social_b}.user_stories"]],
  ["clips about what creators are looking for", ["{reseller}.{social_c}.creator_search_insights_videos"]],
  ["authorize the app on twitter", ["{social_a}.auth"]],
  ["did the interface change since last month", ["contracts.version"]],
  ["how many units were sold", ["sales_api_data"]]
]

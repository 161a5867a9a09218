/**
 * How people ask for what the gateway's own operations do, by id with its placeholders. A search reads it, and nobody else:
 * summaries say what an operation does, and these say what it is wanted for.
 */
export const askedFor: Readonly<Record<string, string>> = {
  usage: `
    how much have I spent, where did my money go, what did I pay, my bill, my invoice, my expenses, cost so far
    consumption by day, daily report, statistics of my key, request history, how many calls did I make
    how many requests failed, error count, tokens used, tokens burned, spending this week, last month, since monday, yesterday
    what was I charged for, who used the most, breakdown by model or operation, overspending, cost today, what ate my budget, activity of my credential,
    list of charges, transactions, receipts, statement, biggest expense, busiest day, what am I paying for, why was it so much`,
  "account.balance": `
    how much money is left, remaining credit, funds, wallet, purse, prepaid, am I broke, can I afford it, enough to pay
    did my payment arrive, top up, deposit, recharge, is my budget used up, how far until my limit
    quota left today, rate limit status, how many requests may I still send, am I being throttled, tier,
    will it last until the end of the month, anything left on my account, can I keep going, do I need to refill, near my cap,
    how close to the ceiling, am I out of credits, is my account empty, how much may I still spend, money in my account, rate limited`,
  "account.prices": `
    how expensive is it, what would it cost, price tag, tariff, rates, fee per request, cost per token, cost per image
    cheapest model, most expensive endpoint, compare prices, cost estimate before a call, is it free, free of charge, in dollars,
    what costs nothing, what is free, price of one call, how much for a picture, what would a thousand of them cost, fees, price per second,
    rate card, price list, what do you charge for, cost of a model, charges per call, what will it cost`,
  "{social_a}.auth": `
    connect an account, link a profile, sign in, log in, oauth, get permission, ask for consent, grant access, authorize my app
    act on behalf of a customer, session expired, reconnect, login link, authorization url, scopes,
    a customer wants to sign in with a social account, let users connect their profile, allow us to post for somebody`,
  "{social_a}.oauth_callback": `
    redirect uri, return url, where the browser lands after approval, after the user agrees or consents, exchange the authorization code
    state and code, complete the login, finish authorization, oauth redirect handler,
    handle the return from the sign in page, the user comes back`,
  "{social_a}.follow": `
    start following, follow back, subscribe to a person, keep up with an influencer, add to who I follow, become a follower or fan`,
  "{social_b}.post_comments": `
    what people say under a picture, replies, comment section, reactions, feedback of followers, opinions, discussion below a picture
    who commented, what was answered, read the comments of a reel`,
  "{reseller}.{social_c}.creator_search_insights_videos": `
    what should I film, video ideas, content inspiration, trending topics for creators, popular searches, hot topics, viral clips
    what others publish on a topic, clips for a trend, content gap`,
  "{reseller}.{social_c}.search_word_suggestion": `
    autocomplete, typeahead, keyword research, related searches, what shoppers or customers type, what buyers look for, search box completion
    keywords for a product listing, e-commerce terms, words that begin with`,
  "{reseller}.{social_c}.tag_detail": `
    how popular is a hashtag, view count, number of posts, how often a tag is used, about a challenge, is this tag trending, meaning of a hashtag`,
  "{reseller}.{social_b}.user_stories": `
    see the stories of somebody, what a profile put up today, in the last 24 hours, disappearing or temporary posts, ephemeral pictures
    story of an influencer, current stories, highlights`,
  "{reseller}.cached_answer": `
    get the previous result again without paying, the same response once more, I lost the response, cache url, saved result, stored answer
    do not pay twice, recover an answer, repeat for free, reuse, once more, I closed the window, connection lost before I saw it`,
  "{social_a}.tweet_quotes": `
    who quoted my tweet, quote tweets, retweets with a comment, reposts with a remark, shares with text, tweets that cite or mention another tweet`,
  "video.create": `
    text to video, image to video, make a movie, short film, clip, trailer, commercial, advertisement, reel, animate a picture, bring a picture to life
    moving scene, render a scene, cinematic footage, video from a prompt,
    ten seconds of, a scene with a car, spot, ad, time lapse, slow motion, cartoon film, music video,
    make a picture move, short clip, moving picture, footage of`,
  "task.get": `
    is it ready, is my video done yet, poll a job, progress, percentage, how long until it is finished, did it fail, why did the generation fail
    download the finished clip, url of the result, where is my output, check on a render, pending or running,
    where do I get the finished movie, how much longer, result of an earlier job, still waiting for my video,
    has it finished, what happened to my job, state of the generation, can I watch it already`,
  rerank: `
    rerank a list, sort passages, rank search hits, most relevant documents first, best match, which of these texts answers my question, retrieval augmented generation, RAG
    relevance score, rescore candidates, filter irrelevant results, choose among texts`,
  "rerank.v2": `
    cohere rerank, rank with the cohere client or SDK, sort passages, most relevant documents first`,
  "financial.metrics_snapshot": `
    P/E ratio, PE, EPS, market cap, market value, dividend yield, profit margin, debt, revenue growth, return on equity, is a stock overvalued or undervalued
    key figures for a ticker, how is a company doing, balance sheet health, invest, investor, shares, worth of a company,
    how profitable, cheap or expensive stock, profit of a company, should I buy shares,
    overpriced, fundamentals, how much is a company worth, earnings per share, is it a good investment, key numbers of a firm`,
  "{traffic_analytics}.traffic_engagement": `
    how many people visit a website, popularity of a site, audience, page views, unique visitors, how long visitors stay, bounce rate of a competitor
    web analytics, monthly visits, how much traffic a domain gets, site statistics,
    readers of a blog, how long readers stay, how big is a competitor, ranking of a site, how many clicks, is a page popular, how busy is a site`,
  "chat.completions": `
    ask an AI, ask a question, talk to a chatbot, gpt, chatgpt, openai chat endpoint, translate, summarize, write code, write an email, draft, rewrite
    brainstorm, explain, classify, extract data, function calling, tool use, vision, describe a picture, answer a customer,
    pull names out of a letter, correct grammar, proofread, do my homework, calculate, make a plan, tell a joke, write a poem, a story, a speech,
    rephrase politely, improve a sentence, solve a math problem step by step, find the bug, fix my code, outline an essay, a letter, a recipe, a slogan, name ideas,
    give advice, meaning of a word, pros and cons, simplify for a child, reply to a mail, make it shorter, a second opinion`,
  responses: `
    openai responses api, gpt, input items and output items, reasoning model, new openai format, ask an AI, translate, summarize, write code`,
  messages: `
    ask claude, anthropic, sonnet, opus, haiku, talk to claude, translate, summarize, write code, review code, ask an AI`,
  "messages.count_tokens": `
    how many tokens is my prompt, token count, tokenizer, will it fit, context window, too long, length or size of a prompt, estimate before sending`,
  "models.count_tokens": `
    how many tokens is my prompt for gemini, token count with the google SDK, will it fit`,
  "responses.input_tokens": `
    how many tokens is my input for the responses api, token count of openai input items, will it fit`,
  completions: `
    legacy completion, base model, continue a text, fill in the middle, text-davinci, gpt-3.5-turbo-instruct, old openai api`,
  moderations: `
    is a text harmful, hate speech, toxic, abuse, violence, content filter, safety check, flag comments, offensive language, omni-moderation`,
  "audio.speech": `
    text to speech, TTS, read aloud, a voice that says it, narrate, voice over, audio book, synthesize speech, mp3 of a text, talk`,
  "audio.transcriptions": `
    speech to text, transcribe a recording, STT, whisper, subtitles, write down a meeting, dictation, voice memo as text, what is said in an audio file
    minutes of a call, podcast transcript, captions`,
  "images.edit": `
    edit a picture, retouch a photo, remove the background, inpainting, change part of an image, mask, replace an object in a photo`,
  "models.embed_content": `
    embed with google, gemini embedding, one vector in the google format`,
  "models.batch_embed_contents": `
    embed with the google SDK, gemini embeddings of several texts, many vectors in the google format`,
  "models.get_gemini": `
    one gemini model by its name for the google SDK`,
  "models.generate_content": `
    ask gemini, google genai, vertex, flash, generate text with google, translate, summarize, write code, ask an AI`,
  "models.stream_generate_content": `
    stream gemini, token by token, word by word, live output, typing effect, partial answers, chunks, server sent events from google,
    show the answer while it is still being written or produced, as it arrives`,
  "deep_research.search": `
    search the web, search the internet, google it, find out about a topic, investigate thoroughly, in-depth study, market study, literature review
    report with sources, references, fact check, compare what many websites say, background on a subject, up to date information, perplexity,
    newspapers, articles with links, recent developments, what is known about, all over the net,
    what is new in a field, find out about, latest news on a subject, who invented it, is it true, collect facts, look something up online`,
  embeddings: `
    turn text into vectors, vectorize, vector database, semantic search, similarity of two sentences, how alike texts are, cluster by meaning, nearest neighbor
    find duplicates, embed documents, numeric representation, group texts, same meaning, how close in meaning,
    compare texts by meaning, similar articles, semantic distance, turn words into numbers`,
  "images.generate": `
    draw, paint, sketch, make a logo, icon, illustration, poster, avatar, cover, picture, artwork, wallpaper, text to image, dall-e, picture from a prompt, design,
    a picture of, drawing, banner, sticker, portrait, background, visualize an idea, cartoon, thumbnail, flyer, birthday card`,
  "responses.get": `
    read a response again, get an earlier answer by its id, retrieve a stored response, what did the model say before`,
  "responses.delete": `
    delete a response, forget a conversation, erase a stored answer, remove what was kept`,
  "responses.input_items": `
    what was sent to the model, list the input of a response, history of a conversation, earlier messages, prompt of a stored answer`,
  "conversations.create": `
    start a conversation with a memory, begin a chat that is remembered, keep a thread, new dialogue, memory for an assistant`,
  "conversations.get": `
    when did a conversation begin, read the metadata of a thread, does a conversation exist`,
  "conversations.update": `
    rename a conversation, tag a thread, change its metadata, label a chat`,
  "conversations.delete": `
    delete a conversation, forget a thread, erase a chat history`,
  "conversations.items": `
    what was said in a conversation, messages of a thread, chat history, transcript of a chat that is kept`,
  "conversations.add_items": `
    add a message to a conversation, append to a thread, put something into the memory of a chat, import earlier messages`,
  "conversations.get_item": `
    read one message of a conversation, a single item of a thread by its id`,
  "conversations.delete_item": `
    remove one message from a conversation, take back what was said, redact an item of a thread`,
  "models.list": `
    which models are available, which LLMs, what AI can I use, supported models, model names, is there a model, catalog of models, what do you offer`,
  "models.get": `
    details of one model, does a model exist, is this model available, look up a model by name, info on a model, tell me about the model, what can this model do, about one model by its name`,
  "models.list_gemini": `
    google models, gemini models, which models can the google SDK call, supported by gemini clients`,
  "contracts.version": `
    has the api changed, is there a new version, hash of the spec, current version, breaking changes, did the interface change, am I up to date,
    was the contract updated, changed since last month, version number of the api`,
  "contracts.source": `
    openapi json, swagger file, api spec, documentation, what parameters does an endpoint take, request and response format, generate a client, all endpoints, fields,
    swagger of everything, machine readable description, postman, how do I call it`,
  sales_api_data: `
    how much did we sell, sales numbers, revenue, earnings, turnover, income, units sold, orders, how is business, what did we earn, best seller`
}

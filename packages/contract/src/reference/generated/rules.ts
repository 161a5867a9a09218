/** The rules that hold for all operations, in Markdown. `pnpm generate` copies them from docs/reference.md. */
export const rules = `
## Rules

These hold for all operations:

| topic | rule |
| --- | --- |
| Names | paths, headers, operation ids and the document use the \`names\` of the [configuration file](configuration.md) |
| Credential | \`Authorization: Bearer tg_…\`. Also \`x-api-key\` on Anthropic routes, \`x-goog-api-key\` and \`?key=\` on Gemini routes. A key has 160 random bits and a checksum. The store has a keyed hash of it |
| Quote | \`X-<provider>-Cost-Mode: quote\` returns the price. Nothing is executed |
| Cap | \`X-<provider>-Max-Price-Usd\`, in decimal USD. The charge never exceeds it. The gateway limits unlimited output to what the cap pays for. Other calls that can cost more get 402 |
| References | what a model reads by address or id (documents, files, containers, tools that search) may fill its context window: quote, cap and reservation count that. Images count as the largest image |
| Tags | \`X-<provider>-Tags: team=search,job=nightly\`, up to 8, for [usage by tag](tags.md). No upstream gets them. A repeat under an \`Idempotency-Key\` may have others |
| Cached answers | \`X-<provider>-Cache: use\`, if the operator [allows it](cache.md). The same request of the account gets the cached answer, free or for a share of the price, marked as a \`hit\` |
| Cost in answers | \`X-<provider>-Cost-State\` and \`X-<provider>-Cost-Micros-Usd\`. The state is \`none\` if nothing was executed, and missing if the cost is not known |
| Charge | what the [answer proves](#evidence), even above the [reservation](#reservations-and-charges), but at most the cap. Nothing for a declared failure, 4xx, 5xx, quotes and replays |
| Rounding | once for each charge, to the nearest micro-USD, half up. The exact amount in nano-USD is kept beside it |
| Free | usage, model lists, contract endpoints, account link, task polls, stored answers, quotes |
| Unknown outcome | nothing is charged, and the reserved amount is free again at once. The call is never retried. Its idempotency key remembers for 24 h. If the call turns out to have ended, it is charged |
| Comments | $0.00188 / comment in the answer. An estimate assumes at most 50 |
| Usage report | by day in UTC, from \`start_time\` up to but not including \`end_time\` (default: the end of this second). At most 366 days. See [what counts](#requests-counted) |
| Rate limits | requests and tokens per key, by GCRA, over [all gateways](scale.md#share-rate-limits-between-gateways). A request that gets 429 uses nothing. Only a request refused for its tokens counts as a request |
| Upstream failure | 502 for native upstreams (models, rerank, video). 503 for managed ones (data), and for an upstream that is paused after failures |
| Upstream 401 and 403 | 503 without the upstream's body, because only the operator can fix them |
| Duplicate fields | 400 for a billed body that has a field twice, even if the names differ in case. Gateway and upstream might read different ones |
| Parameters | 400 for a query parameter that the operation does not have, with the names that exist, and for one that is sent twice and is no list. Where the OpenAPI document has \`others\`, these are sent on |
| Shaped answers | 400 on operations of models for \`fields\`, \`$fields\`, \`alt\` other than \`sse\`, \`callback\`, \`prettyPrint\`, \`x-goog-fieldmask\` and the like, which could leave the usage out of an answer |
| Credentials | 400 for a parameter, header or body that holds the caller's credential. No upstream gets it |
| Deciding fields | 400 for a field that decides the price and has another spelling (other case, camel or snake case), a wrong type, or a value out of range. \`null\` counts as left out |
| Order of checks | before the body is read: credential, path, requests per minute, concurrency, whether balance, budget or quota is used up. After it: fields, tokens per minute, price |
| Large bodies | 413 above the limit of the operation. A body over 64 KiB may have 100,000 names and values, 10,000 names in one object, 2 MiB of names, 128 levels, 2,000,000 escapes and 8 MiB outside of strings. Otherwise 400 |
| HEAD | if GET is free: its headers without the body, with the same credential and limits. 405 if GET is billed or changes something. A HEAD never costs anything and never runs a paid call |
| CORS | any origin may call, because browsers do not send the credential by themselves |

### Evidence

The gateway charges a 2xx only if its body is what the operation answers. It does not deliver a billed answer that proves no cost: HTML, half a
document, an empty body, another shape, an object with an \`error\`, or a \`content-type\` that is not JSON. The caller gets 502
\`answer_not_metered\` instead, pays nothing, and finds \`X-<provider>-Cost-State: none\`. The upstream has executed the call, so no
client repeats it by itself. A missing \`content-type\` is accepted: the answer
is read as what the request asked for, a stream included. A page (\`text/html\` or \`application/xhtml+xml\`, or what begins as one
and has no type) is an answer only where an operator declares that type. A stream without an event of its protocol gets 502 too,
or ends with that error if its head was already sent.

If the answer declares a failure, the caller gets it and pays nothing: \`success: false\`, a reseller's \`code\`, or \`isError\` of an MCP
tool. Answers with a status other than 2xx keep status, body and type. If an upstream compresses an answer unasked, by gzip, br or
deflate, the gateway decompresses it.

- Completions are charged by the \`usage\` that the upstream reports. Without it, the gateway counts input and output from the text of
  request and answer, at four bytes per token, and marks the charge \`estimated\`.
- If \`usage\` lacks a count, the gateway counts only that one from the text, and the charge is \`estimated\`. If a count is impossible
  (negative, a fraction, text, more than a billion), it ignores the whole report.
- The charge follows what the answer reports: the tier, speed and region that served the call, tokens by their kind, uses of the
  upstream's tools, and every model that took part. If no price covers something, it is charged at the nearest known price.
- A request that asks for a tier, tool or the like without a price gets 400, unless the operator chose otherwise.
- Rerank is charged by \`usage.total_tokens\`. If it is missing or impossible, the gateway counts the billed texts of the request.
- Reseller: \`code\` must be written as the integer \`200\`. \`"200"\` and \`200.0\` are failures, which cost nothing.
- Comments: the length of \`comments\`, if it is an array of objects.
- A price per call needs the arrays and objects that the operation's answer always has, or a body of the declared type. If the
  answer is not defined, any body proves it, except an error and half a JSON document.

### Responses

\`POST /v1/responses\` has OpenAI's own format.

- The gateway keeps the response with its input for the account, unless \`store\` is false: 30 days, encrypted. The upstream gets
  \`store: false\`, since all callers share the operator's account there.
- \`previous_response_id\` goes on from a kept response, and an \`item_reference\` stands for an item of one. The gateway puts the items in
  before the call has a price, so quotes, caps and limits count their true size. \`instructions\` of the earlier response are not repeated. Where
  the model reasons, the gateway asks the upstream for encrypted reasoning and sends it with the next turn. You get it if you ask for
  it with \`include: ["reasoning.encrypted_content"]\`. Reasoning items that you send back without it are completed.
- \`GET /v1/responses/{id}\`, \`GET /v1/responses/{id}/input_items\` and \`DELETE /v1/responses/{id}\` are free. What went on from a deleted response
  stays, with what it was made of.
- An account has 256 MB for its responses. The oldest go first, but not the beginning of a conversation that goes on. A response that is
  larger than 8 MB with its input is not kept. The operator sets [days and megabytes](settings.md). What is not kept is refused as
  \`previous_response_not_found\` or \`response_not_found\`, and so are the responses of others.
- A response is kept after its charge is recorded and before you get the end of it, also if you left. If the gateway is killed in between, or
  its store fails, the call is charged and answered, but you cannot go on from it. Failed and cut responses are not kept.
- \`conversation\` goes on with a conversation that the gateway keeps: the model reads its items before those of \`input\`, and both are added
  with the response once that is paid. \`POST /v1/conversations\` makes one; with its items it can be read, changed and deleted, for nothing. It ends
  30 days after its last change. Those of an account have 256 MB beside its responses, and one has 8 MB at most. What many say at once is
  added in the order in which it ended. Encrypted reasoning is kept for the model and not shown.
- \`background\` and \`prompt\` get 400.
- Tools that the upstream runs itself, such as web search, file search or MCP, cost what the operator set for each use. Tools without a
  price get 400.
- There is no WebSocket, and you cannot cancel a response.
- A stream ends with \`response.completed\` or \`response.incomplete\`. A broken stream ends with an event \`error\`, which has the code
  and the request id.

### Idempotency

Send an \`Idempotency-Key\` with any billed call. The gateway keeps it for 24 hours.

- The same request with the same key gets 409 with the id of the first call. With \`X-<provider>-Idempotency-Mode: replay\` it gets the
  stored answer instead, with \`Idempotent-Replayed: true\`. That costs nothing (\`X-<provider>-Cost-State: none\`). What the first
  call was charged is in \`X-<provider>-Replayed-Cost-Micros-Usd\`. The header is missing until that is settled.
- Without a mode it is \`refuse\`, or \`replay\` if the operator chose that.
- With the mode \`charge\`, a request to the same address, under the same key and without a body, is told what the call was charged: \`request_id\`,
  \`cost_state\` and \`cost_micros_usd\`. It waits five seconds for the end of a call that runs; then the state is \`pending\`. With \`cancel\` it also
  ends the call, if that is a [stream that can be resumed](streams.md#cancel-a-stream). Both execute nothing and cost nothing. A key
  that made no such call gets 404.
- Another request with the same key gets 422.
- Streams, and answers of more than 256 KiB, are not stored. They get 409 with either mode.
- After a call that provably failed, and after an upstream's 5xx, you can use the key again. On operations that create (video,
  follow) a 5xx does not show whether the call ran. The outcome is unknown, and the key gets 409 \`idempotency_unknown\`.

### Retries

The replay class says whether you may repeat a call with an unknown outcome:

| class | operations | repeat it |
| --- | --- | --- |
| \`free\` | cost nothing and change nothing | always |
| \`billed\` | are charged | on proof that it did not run, or under the same \`Idempotency-Key\` |
| \`create\` | start something, such as a video, or act for a user | on proof that it did not run |

A refusal by the gateway itself has a \`code\`. Each code says whether the call ran. 400, 401, 402, 403, 405, 413, 415 and
429 prove that it did not. 500, 502 and 503 prove nothing by themselves. Tollgate's own client follows these rules.

### Retries by SDKs

The SDKs of OpenAI and Anthropic retry 409, 429 and 5xx by themselves, and requests whose connection broke. They count their
attempts in \`X-Stainless-Retry-Count\`, starting with 0. The gateway uses this count so that nobody pays twice for a lost answer:

- A request is a repeat if it counts more than 0 and has the same key, operation and bytes as one of the last 15 minutes that counted
  less. It waits while that call runs, and gets the same answer, with \`Idempotent-Replayed: true\` and without a charge.
- The first attempt is a new call, even if another call has the same bytes. Each repeat takes another call.
- An attempt that a later one overtakes, because its own last bytes arrive after it, belongs to the same call, and gets its answer.
- If the call failed and cost nothing, the gateway executes the repeat. If it may have run, the repeat gets 409 \`idempotency_unknown\`.
- The gateway holds answers in memory, up to 8 MiB for an account and 64 MiB in all. The oldest go first. Several gateways share
  answers of up to 256 KiB by their store. A stream arrives there when it has ended.
- If the caller disconnects from a stream within 5 seconds, it waits 2.5 seconds for the repeat. The repeat then reads it from its beginning.
- An answer that is no longer in memory, and a stream that was cut, is 409 \`idempotency_completed\` with \`x-should-retry: false\`.
- If a request has an \`Idempotency-Key\`, only that counts.

The gateway tells these SDKs when not to retry:

- \`x-should-retry: false\` is on every refusal of a call that may have run, such as \`upstream_failed\` and \`settlement_pending\`. It is
  also on every refusal that a repeat cannot change, such as 402, \`quota_exceeded\` and \`upstream_misconfigured\`. Without it, nothing
  ran or the idempotency key protects the call, and the state passes.
- \`Retry-After\` is on every 429, even for a quota that begins again next month. A wait of more than a minute comes with
  \`x-should-retry: false\`, because SDKs would sleep through it. It is in \`X-Retry-After\` and in the message too.
- An SDK that does not know \`x-should-retry\` retries 429 and 5xx. Cohere's does so twice, after a minute at most, even after a
  call that may have run. Set its \`maxRetries\` to 0. Google's retries only if \`retryOptions\` are set.

### Limits by tier

An account's tier follows from its top-ups, unless the operator sets another. These limits apply to each key. Keys
made by rotation share them.

| tier | reached by | requests per minute | tokens per minute | calls at once |
| --- | --- | ---: | ---: | ---: |
| Free | no top-up | 60 | 60,000 | 5 |
| Starter | any top-up | 600 | 600,000 | 20 |
| Growth | 500 USD of top-ups | 3,000 | 3,000,000 | 50 |
| Enterprise | an agreement | its own | its own | its own |

- Every request counts towards the requests per minute. Some operations have their own limit too.
- The gateway estimates tokens before the call, and corrects the count by what the call used.
- Calls at once are streams and long calls: model calls, and videos.
- \`X-RateLimit-Limit-Requests\`, \`X-RateLimit-Remaining-Requests\`, \`X-RateLimit-Reset-Requests\` and the same for tokens say what
  is left, and when all of it is back, in Unix seconds. \`RateLimit\` and \`RateLimit-Policy\` say the same in the form of the IETF draft.

### Limits by address

These limits apply to one IPv4 address or one IPv6 network of 64 bits. Each gateway counts them in memory, for the last ten thousand
addresses it has seen.

| what | at once | after that |
| --- | --- | --- |
| routes that need no credential: contracts, sales data, link callback | 60 | two a second |
| \`GET /\`, pages under \`/docs\`, and pages of the sandbox | 60 | two a second |
| wrong credentials | 60 | one a second |
| wrong tokens of the [admin API](admin.md) | 10 | one in six seconds |

- Requests over the limit get 429 \`rate_limit_exceeded\` with \`Retry-After\`.
- Only wrong credentials and tokens are counted and refused. A right one always passes, so nobody locks out others behind the same
  address. A missing credential is not a wrong one.
- The address is the socket's. Behind proxies, set [\`TOLLGATE_TRUSTED_PROXIES\`](settings.md).
- Contract documents have an \`ETag\` and \`Cache-Control\`. \`If-None-Match\` gets 304. The gateway sends them, the pages at \`/docs\` and the
  list of operations in brotli or gzip to callers that accept it. It does not compress answers to calls.

### In a browser

- \`X-Content-Type-Options: nosniff\` is on every answer.
- Answers of an upstream have \`Content-Security-Policy: sandbox; default-src 'none'\`, unless they are JSON or an event stream.
  So HTML or SVG from an upstream cannot run as the gateway's origin.
- The gateway's own pages load nothing from elsewhere. Only the pages under \`/docs\` have a script, for the search while you type.
  Their policy names it by its hash. You can read and search them without it.

### Streams

- The gateway streams chat, messages, research and Gemini content as the upstream sends them, in the upstream's format.
- On OpenAI routes the gateway asks the upstream for the usage of the stream. If the caller did not ask for it, the gateway
  removes it from the stream.
- The cost is known at the end. The headers say \`X-<provider>-Cost-State: pending\`. After the last event comes the comment
  \`: cost_micros_usd=18 cost_state=settled\`, which clients ignore. It is missing if the format is not \`text/event-stream\`,
  if the cost is not known, and for \`@google/generative-ai\`, which cannot read comments.
- The gateway sends the last event after it has recorded the charge.
- A broken stream ends with an error in the family's shape, with \`code\` and request id: an event, or the last item of
  Gemini's array. A stream breaks if the connection to the upstream is cut, if the upstream sends nothing for its idle time, if it
  ends before its last event, or if an event is longer than the upstream's \`eventBytes\`. The gateway charges what was sent until
  then: by the usage reported so far and by the text sent, at four bytes per token, marked \`estimated\`.
- If the stream broke before anything arrived, the outcome is unknown and nothing is charged. A stream that ends without an
  answer costs nothing. So does an error event instead of an answer.

### Disconnects

- If a caller disconnects, a call that was sent still runs to its end, and is charged. Its answer is stored under its
  idempotency key. Until its end it counts towards the key's concurrency.
- If an SDK counts its attempts, and its caller disconnects within 5 seconds of a stream's first byte, the stream waits 2.5 seconds for
  [the SDK's retry](#retries-by-sdks).
- If the caller disconnects after the finish reason of a stream, the gateway reads on for the usage report, for 5 seconds and 64 KiB
  at most. If the caller disconnects before that, the gateway disconnects the upstream. It charges by the usage reported so far and by
  the text sent, marked \`estimated\`. That is at least the input, which the upstream has read. The gateway reads on to the usage report
  of [a model that thinks unseen](streams.md#the-caller-disconnects).
- The gateway disconnects a caller who keeps the connection open and reads nothing of a stream for a minute. It does not disconnect a
  slow reader.
- The gateway gives up a free call when its caller disconnects.

### Tasks

- A key can have three tasks in progress. The fourth gets 429 with \`Retry-After\`, before anything is sent. Keys
  rotated from one another share this limit.
- The gateway reserves the maximum price of a task until it ends.
- The gateway watches every task until it ends, even if no caller polls, and after a restart.
- Polls are free. You can poll a task twice a second. Faster polls get 429. Every three to five seconds is enough.
- \`SUCCEEDED\` is charged in full, or by what the finished task reports if it is [priced so](configuration.md#images-and-video). \`FAILED\`
  costs nothing. A create keeps its \`Idempotency-Key\` for 24 hours however its task ends. \`CANCELED\` costs what
  the upstream reports, times the account's multiplier, if [\`canceledCost\`](configuration.md#upstreams) says where. That can be more
  than the price. Otherwise it costs nothing.
- A poll of an ended task has the cost in its headers. It is the cost of the create. Polls stay free.
- \`UNKNOWN\`, with status 200, means that the task does not exist, belongs to another account or is no longer stored. It can also mean
  that the upstream does not know the task, which may be temporary.
- The gateway gives up on a task that the upstream has not known for ten minutes, or that has not ended after a day. Such a
  task reserves no money and costs nothing. The gateway checks it every ten minutes for another day, and when a caller polls it. If it
  has ended after all, it is charged then, once.
- You can poll an ended task for six hours. Times are in UTC.
- \`task_id\` in the query instead of the path gets 500 \`unsupported uri\`.

### Linked accounts

- An \`auth_url\` is valid for ten minutes and works once. A key can have twenty open ones. The next one replaces the oldest.
- A key has one session, shared with the keys rotated from it. Linking again replaces it. Other keys of the account have
  their own.
- Tokens are encrypted (AES-256-GCM) with a key derived from the \`secret\` in the data folder. The gateway renews them a minute
  before they expire, if the platform issued a refresh token.
- 403 \`missing_scope\` means that no account is linked, the session has ended or lacks the scope, or the platform answered 401. After a
  401 the gateway renews the token before the next call. Nothing was executed. The gateway passes on other refusals of the platform.

### Stored answers

The gateway stores a charged answer of a reseller for 24 hours. Its \`cache_url\` is \`GET …/cache/{id}\` of this gateway. Only
the account that paid for it can read it. Others get 404. An account can store 64 MiB. New answers replace the oldest.

### Reservations and charges

- Before the gateway sends a billed call, it reserves what the call can cost. The call gets 402 if that is more than the
  balance or the key's budget, and 429 \`quota_exceeded\` if it is more than the key's quota has left. Both mean that the
  call could not be paid even if every call under way ended at nothing.
- Money that is only reserved is not spent. A call that lacks it waits for its turn, up to ten seconds unless the operator sets
  another time. Then it gets 429 \`balance_reserved\` with \`Retry-After\`. Nothing ran, and the same call can succeed soon. The keys
  of an account take turns. Within a key the first call comes first. Smaller calls pass a larger one for half of that time, not
  longer. 200 calls of an account can wait at each gateway. One more is refused at once. If its key has fewer waiting calls than
  another key, the last call of that other key is refused instead.
- The charge is what the call cost, even if that is more than was reserved. So calls in flight can take a balance, a budget
  or a quota below zero. From then on the gateway refuses every billed call, even one that reserves nothing, until it is positive again.
- Under a cap the caller pays the cap at most. The operator pays what an upstream reports beyond it. \`usage_value\` has
  the whole value, \`charged\` what was paid.
- If the outcome of a call becomes known after it was marked unknown, the call is charged like any other. An example is a call
  that took longer than an hour.
- A charge counts towards the quota of the current period when it is recorded. A period never ends because the clock goes
  back. Until the clock has caught up, calls count in the same period.

### Requests counted

- \`requests\` are calls of operations that can be billed, once reserved. A call counts when it ends: settled, released or
  unknown. A replay of a stored answer under an \`Idempotency-Key\` counts too, and costs nothing.
- \`failed_requests\` are the requests that were answered with 4xx or 5xx, ended unknown, or, from a reseller, have a
  \`code\` other than 200. A task that \`FAILED\` does not count, because its create was answered.
- An unknown call counts once, when it is marked unknown. If it is charged or released later, the report corrects its numbers at
  that time.
- What the gateway refuses before it reserves (400, 401, 402, 403, 404, 409, 422, 429), a fourth task of a key, quotes, polls
  and free operations do not count.

### Model lists

\`GET /v1/models\` answers in the OpenAI format, or in the Anthropic format, with pages, if \`anthropic-version\` is sent.
\`GET /v1beta/models\` answers in the Gemini format, and so does \`GET /v1/models\` if the key is sent in \`x-goog-api-key\`. The last
two formats list only models that can be called in them. All other paths of Gemini are served under \`/v1\` too. They go to the upstream
under \`/v1beta\`, or as the route's \`path\` says.

### Sales data

\`freshness\` is \`fresh\`, \`stale\` or \`unavailable\`. \`stale\` means that the source failed. You get the last snapshot, with its own
\`observed_at\`. \`unavailable\` is 503 with \`reason_code\`. The gateway reads the source at most every ten seconds.

### Upstream failures

- The gateway tries another upstream of the route, each one once, only if the call cannot have run: no connection was made,
  the upstream answered 429, 401 or 403, or [says that it is overloaded](routes.md#when-a-fallback-is-tried), or its stream
  [began with an error](streams.md#the-stream-begins-with-an-error). After any other failure the call ends.
- With \`X-<provider>-Paid-Again: once\` a call that may have run is sent once more elsewhere, if its route has another upstream and does not forbid it. You
  pay for what answers, never for the first attempt. The answer names the first upstream in a header of the same name. Operations that create
  something are never sent again.
- An operator may let another model answer if yours is rate limited, overloaded or not reachable. \`X-<provider>-Served-Model\` and \`X-<provider>-Upstream\`
  name who answered. The price is that of the model that served, and quotes and caps cover the dearest that may serve.
- The gateway pauses an upstream for five seconds after five attempts in a row without a connection, or if it fails for several
  accounts (a broken connection, a timeout, a status of 500 or more). Then it tries one call at a time until one
  succeeds. The pause doubles after each further failure, up to a minute.
- The gateway does not follow redirects. They get 503 \`upstream_misconfigured\`, at no charge.
- The gateway does not call private addresses, unless the configuration sets \`"private": true\`.

[The configuration file](configuration.md#routes) has the details.
`

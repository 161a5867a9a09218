/** The rules that hold for all operations, in Markdown. `pnpm generate` copies them from docs/reference.md. */
export const rules = `
## Rules

Where the specification leaves room, Tollgate chose these rules:

| topic                | rule                                                                                                                                                                                                                               |
| -------------------- | ---------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------------- |
| Names                | paths, headers, operation ids and the document use the \`names\` of the [configuration file](configuration.md)                                                                                                                       |
| Credential           | \`Authorization: Bearer tg_…\`; also \`x-api-key\` on Anthropic routes, \`x-goog-api-key\` and \`?key=\` on Gemini routes. A key has 160 random bits and a checksum, and is stored as a keyed hash                                         |
| Quote                | \`X-<provider>-Cost-Mode: quote\` returns the price; nothing is executed                                                                                                                                                             |
| Cap                  | \`X-<provider>-Max-Price-Usd\`, in decimal USD: the charge never exceeds it. Unlimited output is limited to what it pays for; other calls that can cost more are refused with 402                                                    |
| Tags                 | \`X-<provider>-Tags: team=search,job=nightly\`, up to 8, for [usage by tag](tags.md). No upstream gets them; a repeat under an \`Idempotency-Key\` may have others                                                                     |
| Kept answers         | \`X-<provider>-Cache: use\`, where the operator [allows it](kept-answers.md): the same request of the account gets its kept answer, free or for a share of the price, marked as a \`hit\`                                              |
| Cost in answers      | \`X-<provider>-Cost-State\` and \`X-<provider>-Cost-Micros-Usd\`; the state is \`none\` if nothing was executed, and missing if nothing is known about the cost                                                                          |
| Charge               | what the [answer proves](#evidence), also above the [reservation](#reservations-and-charges), and at most the cap; nothing for a declared failure, 4xx, 5xx, quotes and replays                                                    |
| Rounding             | once for each charge, to the nearest micro-USD, half up; the exact amount in nano-USD is kept beside it                                                                                                                            |
| Free                 | usage, model lists, contract endpoints, account link, task polls, stored answers, quotes                                                                                                                                           |
| Unknown outcome      | nothing is charged, what was reserved is free again at once, and the call is never retried; its idempotency key remembers for 24 h. A call that turns out to have ended is charged                                                 |
| Comments             | 0.00188 USD for each comment in the answer; an estimate assumes at most 50                                                                                                                                                         |
| Usage report         | by day in UTC, from \`start_time\` up to but not including \`end_time\`, by default the end of this second; at most 366 days; [what counts](#requests-counted)                                                                         |
| Rate limits          | requests and tokens per key, by GCRA, over [all gateways](limits.md). A request refused by 429 uses nothing, except that one refused for its tokens counts as a request                                                            |
| Upstream failure     | 502 for native upstreams (models, rerank, video); 503 for managed ones (data), and for an upstream that is paused after failures                                                                                                   |
| Upstream 401 and 403 | 503 without the upstream's body, because only the operator can fix them                                                                                                                                                            |
| Duplicate fields     | 400 for a billed body that has a field twice, even if the names differ in case, because gateway and upstream might read different ones                                                                                             |
| Parameters           | 400 for a query parameter that a complete definition does not have, with the names that exist, and for one that is sent twice and is no list. Where the definition is pending, for models, or if the operator says so, others pass |
| Credentials          | 400 for a parameter, header or body that holds the caller's credential: no upstream gets it                                                                                                                                        |
| Deciding fields      | 400 for a field that decides the price and is spelled otherwise (other case, camel or snake case), or has a wrong type, or is out of range; \`null\` counts as left out                                                              |
| Order of checks      | before the body is read: credential, path, requests per minute, concurrency, whether balance, budget or quota is used up; after it: fields, tokens per minute, price                                                               |
| Large bodies         | 413 above the limit of the operation. A body over 64 KiB may have 100,000 names and values, 10,000 names in one object, 128 levels, 2,000,000 escapes and 8 MiB outside of strings; else 400                                       |
| HEAD                 | where GET is free: its headers without the body, with the same credential and limits. 405 where GET is billed or changes something: a HEAD never costs anything and never runs a paid call                                         |
| CORS                 | any origin may call, because browsers do not send the credential by themselves                                                                                                                                                     |

### Evidence

A 2xx is charged only if its body is what the operation answers. A billed answer that proves no cost is not delivered: HTML, half a
document, an empty body, another shape, an object with an \`error\`, or a \`content-type\` that is not JSON. The caller gets 502
\`answer_not_metered\` instead, pays nothing, and finds \`X-<provider>-Cost-State: none\`. The upstream has executed the call, so no
client repeats it by itself. A missing \`content-type\` is accepted. The same holds for a stream without an event of its protocol:
it is 502, or ends with that error if its head was sent already.

A failure that the answer declares is handed on and costs nothing: \`success: false\`, a reseller's \`code\`, or \`isError\` of an MCP
tool. Answers with another status than 2xx keep status, body and type. What an upstream compresses unasked, by gzip, br or
deflate, is passed on decompressed.

- Completions are charged by the \`usage\` that the upstream reports. Without it, input and output are counted from the text of
  request and answer, at four bytes per token, and the charge is marked \`estimated\`.
- If \`usage\` lacks a count, only that one is counted from the text, and the charge is \`estimated\`. If a count is impossible
  (negative, a fraction, text, more than a billion), the whole report is ignored.
- The tier, speed and region that served the call, tokens by their kind, uses of the upstream's tools and every model that took part are
  charged as the answer reports them. What the answer reports and no price covers is charged at the nearest known price.
- A request that asks for a tier, tool or the like without a price gets 400, unless the operator chose otherwise.
- Rerank is charged by \`usage.total_tokens\`. If it is missing or impossible, the billed texts of the request are counted.
- Reseller: \`code\` must be written as the integer \`200\`; \`"200"\` and \`200.0\` are failures, which cost nothing.
- Comments: the length of \`comments\`, if it is an array of objects.
- A price per call needs the arrays and objects that the operation's answer always has, or a body of the declared type. If the
  answer is not defined, any body proves it, except an error and half a JSON document.

### Responses

\`POST /v1/responses\` has OpenAI's own format. The described interface does not have it.

- Nothing is stored: the upstream gets \`store: false\`. All callers share the operator's account there, so that any of them could read
  what another stored. \`store: true\`, \`background\`, \`conversation\`, \`previous_response_id\`, \`prompt\` and items of the type
  \`item_reference\` get 400. Send the items of earlier answers in \`input\` instead, reasoning included: with
  \`include: ["reasoning.encrypted_content"]\` a model can go on from it.
- Vercel's AI SDK refers to stored items unless \`providerOptions: { openai: { store: false } }\` is set.
- Tools that the upstream runs itself, such as web search, file search or MCP, cost what the operator set for each use. Those without a
  price get 400.
- There is no WebSocket, and nothing below the path: a response cannot be retrieved, canceled or deleted.
- A stream ends with \`response.completed\` or \`response.incomplete\`. One that breaks ends with an event \`error\`, which has the code
  and the request id.

### Idempotency

Send an \`Idempotency-Key\` with any billed call. The gateway keeps it for 24 hours.

- The same request with the same key: 409 with the id of the first call. With \`X-<provider>-Idempotency-Mode: replay\`, the
  stored answer instead, with \`Idempotent-Replayed: true\`. It costs nothing (\`X-<provider>-Cost-State: none\`); what the first
  call was charged is in \`X-<provider>-Replayed-Cost-Micros-Usd\`, or nowhere as long as that is not settled.
- \`X-<provider>-Idempotency-Mode\` is \`replay\` or \`refuse\`; an operator may make \`replay\` the default. Any other value: 400.
- Another request with the same key: 422.
- Streams, and answers of more than 256 KiB, are not stored: 409 with either mode.
- After a call that provably failed, and after an upstream's 5xx, the key can be used again. On operations that create (video,
  follow) a 5xx leaves it open whether the call ran: the outcome is unknown, and the key gets 409 \`idempotency_unknown\`.

### Retries

Whether a call may be repeated when its outcome is not known depends on its replay class:

| class    | operations                                          | repeat it                                                         |
| -------- | --------------------------------------------------- | ----------------------------------------------------------------- |
| \`free\`   | cost nothing and change nothing                     | always                                                            |
| \`billed\` | are charged                                         | on proof that it did not run, or under the same \`Idempotency-Key\` |
| \`create\` | start something, such as a video, or act for a user | on proof that it did not run                                      |

A refusal of the gateway's own has a \`code\`, and each code says whether the call ran. 400, 401, 402, 403, 405, 413, 415 and
429 prove that it did not. 500, 502 and 503 prove nothing by themselves. Tollgate's own client follows these rules.

### Retries by SDKs

The SDKs of OpenAI and Anthropic retry 409, 429 and 5xx by themselves, and requests whose connection broke. They count their
attempts in \`X-Stainless-Retry-Count\`, from 0 with the first one. So a lost answer is not paid twice:

- A request that counts more than 0, with the same key, operation and bytes as one of the last 15 minutes that counted less, is
  that call again. It waits while the call runs, and gets the same answer, with \`Idempotent-Replayed: true\` and without a charge.
- The first attempt is always a call of its own, also if its bytes are those of another. Each repeat takes another call.
- If the call failed and cost nothing, the repeat is executed. If it may have run, the repeat gets 409 \`idempotency_unknown\`.
- Answers are held in memory, up to 8 MiB for an account and 64 MiB in all; the oldest go first. Several gateways share those of up to
  256 KiB by their store: a stream arrives there when it has ended.
- A stream that was left within 5 seconds waits 2.5 seconds for the repeat, which then reads it from its beginning.
- What is not held any more, and a stream that was cut, is 409 \`idempotency_completed\` with \`x-should-retry: false\`.
- A request with an \`Idempotency-Key\` follows that alone.

The gateway tells these SDKs when not to retry:

- \`x-should-retry: false\` is on every refusal that may have run, such as \`upstream_failed\` and \`settlement_pending\`, and on
  every one that a repeat cannot change, such as 402, \`quota_exceeded\` and \`upstream_misconfigured\`. Without it nothing ran,
  or the idempotency key protects the call, and the state passes.
- \`Retry-After\` is on every 429, also for a quota that begins again next month. A wait of more than a minute comes with
  \`x-should-retry: false\`, because SDKs would sleep through it, and is in \`X-Retry-After\` and in the message too.
- An SDK that does not know \`x-should-retry\` retries 429 and 5xx. Cohere's does so twice, after a minute at most, also after a
  call that may have run: set its \`maxRetries\` to 0. Google's retries only if \`retryOptions\` are set.

### Limits by tier

An account's tier follows from what it has paid in, unless the operator sets another. These limits hold for each key; keys
that were made by rotation share them.

| tier       | reached by         | requests per minute | tokens per minute | calls at once |
| ---------- | ------------------ | ------------------: | ----------------: | ------------: |
| Free       | no top-up          |                  60 |            60,000 |             5 |
| Starter    | any top-up         |                 600 |           600,000 |            20 |
| Growth     | 500 USD of top-ups |               3,000 |         3,000,000 |            50 |
| Enterprise | an agreement       |             its own |           its own |       its own |

- Every request counts towards the requests per minute. Some operations have a limit of their own besides.
- Tokens are counted by an estimate before the call, and corrected by what it used.
- Calls at once are streams and long calls: those of models, and videos.
- \`X-RateLimit-Limit-Requests\`, \`X-RateLimit-Remaining-Requests\`, \`X-RateLimit-Reset-Requests\` and the same for tokens say what
  is left, and when all of it is back, in Unix seconds.

### Limits by address

These limits hold for one IPv4 address or one IPv6 network of 64 bits. Each gateway counts them in memory, for the ten thousand addresses
that were seen last.

| what                                                                 | at once | after that         |
| -------------------------------------------------------------------- | ------- | ------------------ |
| routes that need no credential: contracts, sales data, link callback | 60      | two a second       |
| \`GET /\`, pages under \`/docs\`, and pages of the sandbox               | 60      | two a second       |
| wrong credentials                                                    | 60      | one a second       |
| wrong tokens of the [admin API](admin.md)                            | 10      | one in six seconds |

- What is over the limit gets 429 \`rate_limit_exceeded\` with \`Retry-After\`.
- After too many wrong credentials, only those that this process has seen to be valid are still accepted from the address, so
  that others behind it are not locked out. A missing credential is not a wrong one.
- The address is the socket's. Behind proxies, set [\`TOLLGATE_TRUSTED_PROXIES\`](settings.md).
- Contract documents have an \`ETag\` and \`Cache-Control\`; \`If-None-Match\` gets 304. They, the pages at \`/docs\` and the list of operations
  are sent in brotli or gzip to callers that accept it. Answers to calls are not compressed.

### In a browser

- \`X-Content-Type-Options: nosniff\` is on every answer.
- What an upstream answers has \`Content-Security-Policy: sandbox; default-src 'none'\`, unless it is JSON or an event stream:
  HTML or SVG from an upstream cannot run as the gateway's origin.
- The gateway's own pages load nothing from elsewhere. Only those under \`/docs\` have a script, for the search while you type;
  their policy names it by its hash, and they can be read and searched without it.

### Streams

- Chat, messages, research and Gemini content are streamed as the upstream sends them, in its own format.
- On OpenAI routes the gateway asks the upstream for the usage of the stream. If the caller did not ask for it, the gateway
  removes it from the stream.
- The cost is known at the end. The headers say \`X-<provider>-Cost-State: pending\`; after the last event follows the comment
  \`: cost_micros_usd=18 cost_state=settled\`, which clients ignore. It is missing if the format is not \`text/event-stream\`, or
  if the cost is not known.
- The last event is sent after the charge is recorded.
- A stream that breaks ends with an error in the family's shape, with \`code\` and request id: an event, or the last item of
  Gemini's array. It breaks if the connection to the upstream is cut, if the upstream sends nothing for its idle time, if it
  ends before its last event, or if an event is longer than the upstream's \`eventBytes\`. What was sent until then is
  charged: by the usage reported so far and by the text sent, at four bytes per token, marked \`estimated\`.
- If the stream broke before anything arrived, the outcome is unknown and nothing is charged. A stream that ends without an
  answer costs nothing, and so does an error event in place of one.

### Leaving

- A call that is sent is carried to its end when its caller disconnects, and charged. Its answer is kept under its
  idempotency key. Until its end it counts towards the key's concurrency.
- A stream whose SDK counts its attempts, and whose caller disconnects within 5 seconds of its first byte, waits 2.5 seconds for
  [the SDK's retry](#retries-by-sdks).
- A stream whose caller disconnects after its finish reason is read for its usage report, for 5 seconds and 64 KiB at most.
  Before that the upstream is disconnected, and the charge is by the usage reported so far and by the text sent, marked
  \`estimated\`: at least the input, which the upstream has read.
- A caller who keeps the connection open and reads nothing of a stream for a minute is disconnected. A slow reader is not.
- A call that costs nothing is given up when its caller disconnects.

### Tasks

- A key can have three tasks in progress. The fourth is refused with 429 and \`Retry-After\`, before anything is sent. Keys
  rotated from one another share this limit.
- The maximum price of a task is reserved until it ends.
- The gateway watches every task until it ends, even if no caller polls, and after a restart.
- Polls are free. A task can be polled twice a second; faster polls get 429. Every three to five seconds is enough.
- \`SUCCEEDED\` is charged in full, by what the finished task reports if it is [priced so](configuration.md#images-and-video). \`FAILED\`
  costs nothing. A create keeps its \`Idempotency-Key\` for 24 hours however its task ends. \`CANCELED\` costs what
  the upstream reports, times the account's multiplier, if [\`canceledCost\`](configuration.md#upstreams) says where; otherwise
  nothing. It can be more than the price.
- A poll of an ended task has the cost in its headers. It is the cost of the create; polls stay free.
- \`UNKNOWN\`, with status 200, means that the task does not exist, belongs to another account or is no longer stored, or that
  the upstream does not know it, which may be temporary.
- The gateway gives up on a task that the upstream has not known for ten minutes or that has not ended after a day. Such a
  task holds no money and costs nothing. The gateway looks at it every ten minutes for another day, and when a caller polls it: if it
  has ended after all, it is charged then, once.
- An ended task can be polled for six hours. Times are in UTC.
- \`task_id\` in the query instead of the path is answered with 500 \`unsupported uri\`.

### Linked accounts

- An \`auth_url\` is valid for ten minutes and works once. A key can have twenty open ones; the next one replaces the oldest.
- A key has one session, shared with the keys rotated from it. Linking again replaces it. Other keys of the account have
  their own.
- Tokens are encrypted (AES-256-GCM) with a key derived from the \`secret\` in the data folder. They are renewed a minute
  before they expire, if the platform issued a refresh token.
- 403 \`missing_scope\`: no account is linked, the session has ended or lacks the scope, or the platform answered 401; then
  the token is renewed before the next call. Nothing was executed. Other refusals of the platform are passed on.

### Stored answers

An answer of a reseller that was charged is stored for 24 hours; its \`cache_url\` is \`GET …/cache/{id}\` of this gateway. Only
the account that paid for it can read it; others get 404. An account can store 64 MiB; new answers replace the oldest.

### Reservations and charges

- Before a billed call is sent, the gateway reserves what it can cost. The call is refused with 402 if that is more than the
  balance or the key's budget, and with 429 \`quota_exceeded\` if it is more than the key's quota has left. Both mean that the
  call could not be paid even if every call under way ended at nothing.
- Money that is only reserved is not spent. A call that lacks it waits for its turn, up to ten seconds unless the operator sets
  another time. Then it gets 429 \`balance_reserved\` with \`Retry-After\`: nothing ran, and the same call can succeed soon. The keys
  of an account take turns, and within a key the first comes first. Smaller calls pass a larger one for half of that time, not
  longer. 200 calls of an account can wait at each gateway. One more is refused at once, unless its key has fewer of them than
  another: then the last call of that key is.
- The charge is what the call cost, also if that is more than was reserved. So calls in flight can take a balance, a budget
  or a quota below zero. From then on every billed call is refused, also one that reserves nothing, until it is positive again.
- Under a cap the caller pays the cap at most. What an upstream reports beyond it is the operator's loss: \`usage_value\` has
  the whole value, \`charged\` what was paid.
- A call whose outcome became known after it was marked unknown, such as one that took longer than an hour, is charged
  like any other.
- A charge counts towards the quota of the period in force when it is recorded. A period never ends because the clock goes
  back: until the clock has caught up, calls count in the period in force.

### Requests counted

- \`requests\` are calls of operations that can be billed, once reserved. A call counts when it ends: settled, released or
  unknown. A replay of a stored answer under an \`Idempotency-Key\` counts too, and costs nothing.
- \`failed_requests\` are those of them that were answered with 4xx or 5xx, ended unknown, or, from a reseller, have another
  \`code\` than 200. A task that \`FAILED\` is not among them: its create was answered.
- An unknown call counts once, when it is marked unknown. If it is charged or released later, its numbers are corrected at
  that time of the report.
- What the gateway refuses before it reserves (400, 401, 402, 403, 404, 409, 422, 429), a fourth task of a key, quotes, polls
  and free operations do not count.

### Model lists

\`GET /v1/models\` answers in the OpenAI format, or in the Anthropic format, with pages, if \`anthropic-version\` is sent.
\`GET /v1beta/models\` answers in the Gemini format. The last two list only models that can be called in their format.

### Sales data

\`freshness\` is \`fresh\`, \`stale\` or \`unavailable\`. \`stale\`: the source failed, and this is the last snapshot, with its own
\`observed_at\`. \`unavailable\`: 503 with \`reason_code\`. The gateway reads the source at most every ten seconds.

### Upstream failures

- The gateway tries another upstream of the route, each one once, only if the call cannot have run: no connection was made,
  or the upstream answered 429, 401 or 403. After any other failure the call ends.
- An upstream is paused for five seconds after five attempts in a row without a connection, or if it fails for several
  accounts (a broken connection, a timeout, a status of 500 or more). Then it is tried with one call at a time until one
  succeeds. The pause doubles after each further failure, up to a minute.
- Redirects are not followed: 503 \`upstream_misconfigured\`, at no charge.
- Private addresses are not called, unless the configuration sets \`"private": true\`.

[The configuration file](configuration.md#routes) has the details.
`

// Read by models: short, exact, and the same words as the fields of the results.

export const instructions = `Use search to find an operation, get_details for its input and price, then use or batch_use to call it.
search, get_details and list_categories are free. Calls can cost money.
Before a paid call, the user must have approved its scope, its rate and the largest amount of USD that it can cost. Put that amount into max_price_usd: a call that could cost more is refused before anything is spent, and the result has its price.
Give each new paid call a new idempotency_key. If a result says that the outcome is unknown, the call may have run and may be charged: do not repeat it with a new key, send it again with the same idempotency_key and arguments.`

export const search = "Find operations by what they do. Returns ids, summaries and prices, best match first. Free."

export const getDetails =
  "Get an operation's input schema, price, limits and an example. Free. Read it before you call the operation."

export const listCategories = "List the categories of operations, with counts and price ranges. Free."

export const use =
  "Call one operation. Paid calls need the user's approval of scope, rate and largest cost first: pass that cost as max_price_usd. A call that could cost more is refused before anything is spent, with the estimate and the largest price in the result. If error.outcome is unknown, the call may have run and may be charged: keep the same idempotency_key and arguments when you repeat it, never a new key."

export const batchUse =
  "Call several operations, each as in use, with a cap for each call and max_total_usd for all. Paid calls need the user's approval first. Each result is in the place of its call; some can fail while others succeed. Never more than max_total_usd is spent. Repeat a call only as its error says, with the same idempotency_key."

import { create } from "@tollgate/ledger/store/statements"

export const paymentTables: ReadonlyArray<string> = [
  // `reference`: the provider's id. `look_at`: when the provider is asked next. `looked_at`: when the last answer was asked for.
  `CREATE TABLE payments (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id),
    provider TEXT NOT NULL,
    kind TEXT NOT NULL,
    amount BIGINT NOT NULL,
    state TEXT NOT NULL,
    reference TEXT,
    url TEXT,
    receipt TEXT,
    returned BIGINT NOT NULL DEFAULT 0,
    save_card BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    paid_at BIGINT,
    look_at BIGINT NOT NULL,
    looked_at BIGINT NOT NULL DEFAULT 0,
    problem TEXT NOT NULL DEFAULT ''
  )`,
  "CREATE INDEX payments_account ON payments (account, created_at)",
  "CREATE INDEX payments_created ON payments (created_at)",
  "CREATE INDEX payments_open ON payments (look_at) WHERE state = 'open'",
  // The id is that of the entry, and of the refund at the provider.
  `CREATE TABLE payment_refunds (
    id TEXT PRIMARY KEY,
    payment TEXT NOT NULL REFERENCES payments (id),
    amount BIGINT NOT NULL,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL
  )`,
  "CREATE INDEX payment_refunds_payment ON payment_refunds (payment)",
  "CREATE INDEX payment_refunds_open ON payment_refunds (created_at) WHERE state = 'open'",
  // `method`: the saved card at the provider, and `card` its words. `below`: NULL without automatic payments.
  `CREATE TABLE payers (
    account TEXT PRIMARY KEY REFERENCES accounts (id),
    provider TEXT NOT NULL,
    customer TEXT NOT NULL,
    method TEXT,
    card TEXT,
    below BIGINT,
    amount BIGINT,
    month_limit BIGINT,
    problem TEXT NOT NULL DEFAULT ''
  )`,
  "CREATE INDEX payers_recharge ON payers (account) WHERE below IS NOT NULL"
]

export const payments = create(paymentTables)

import { type Html, html } from "@tollgate/gateway/html"

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" })
const minute = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" })

const element = (format: Intl.DateTimeFormat, zone: string, millis: number): Html =>
  html`<time datetime="${new Date(millis).toISOString()}">${format.format(millis)}${zone}</time>`

// In UTC: the zone of the reader is not known without a script.
export const dateOf = (millis: number): Html => element(day, "", millis)
export const timeOf = (millis: number): Html => element(minute, " UTC", millis)

import type { Tweet } from "@tollgate/contract/resources/Tweet"
import { draw, type Draw } from "./Draw.ts"
import { person, sentence } from "./people.ts"

const tags = ["photography", "travel", "opensource", "weekend", "coffee"] as const

/** A post id contains the time above its lowest 22 bits, so that later posts have higher ids. */
const idAt = (millis: number, low: number): string =>
  ((BigInt(millis - 1_288_834_974_657) << 22n) + BigInt(low)).toString()

const authorOf = (from: Draw) => {
  const { handle, id, name, picture, place } = person(from)
  return {
    type: "user",
    userName: handle,
    url: `https://posts.sandbox.invalid/${handle}`,
    id,
    name,
    isBlueVerified: from.chance(0.2),
    verifiedType: "",
    profilePicture: picture,
    coverPicture: `https://pictures.sandbox.invalid/${id}-cover.jpg`,
    description: `${sentence(from)} This profile is invented.`,
    location: place,
    followers: from.int(3, 20_000),
    following: from.int(1, 2_000),
    canDm: from.chance(0.4),
    createdAt: new Date(from.int(Date.UTC(2010, 0, 1), Date.UTC(2024, 0, 1))).toISOString(),
    favouritesCount: from.int(0, 30_000),
    hasCustomTimelines: from.chance(0.3),
    isTranslator: from.chance(0.02),
    mediaCount: from.int(0, 900),
    statusesCount: from.int(1, 40_000),
    withheldInCountries: [],
    pinnedTweetIds: from.chance(0.3) ? [from.digits(19)] : [],
    possiblySensitive: false,
    isAutomated: false,
    automatedBy: "",
    unavailable: false,
    message: "",
    unavailableReason: ""
  }
}

/** The text, and the positions of its entities. */
const textOf = (from: Draw) => {
  let text = sentence(from)
  const add = (more: string): [number, number] => {
    const start = text.length + 1
    text += ` ${more}`
    return [start, text.length]
  }
  const mentioned = from.chance(0.3) ? person(from) : undefined
  if (mentioned !== undefined) add(`@${mentioned.handle}`)
  const hashtags = from.chance(0.5) ? [from.pick(tags)].map((tag) => ({ indices: add(`#${tag}`), text: tag })) : []
  const urls = from.chance(0.3)
    ? [from.digits(6)].map((page) => {
        const url = `https://s.invalid/${page}`
        return {
          display_url: `stories.invalid/${page}`,
          expanded_url: `https://stories.invalid/${page}`,
          indices: add(url),
          url
        }
      })
    : []
  const user_mentions =
    mentioned === undefined ? [] : [{ id_str: mentioned.id, name: mentioned.name, screen_name: mentioned.handle }]
  return { text, entities: { hashtags, urls, user_mentions } }
}

/** The post at index `at` of those that quote another, newest first. */
export const tweet = (quoted: string, at: number): Tweet => {
  const from = draw("quote", quoted, at)
  const newest = draw("quoted", quoted).int(Date.UTC(2025, 6, 1), Date.UTC(2025, 11, 1))
  const written = newest - at * 1_800_000 - from.int(0, 1_799_999)
  const id = idAt(written, from.int(0, 2 ** 22 - 1))
  const author = authorOf(from)
  const { entities, text } = textOf(from)
  const answered = from.chance(0.15) ? person(from) : undefined
  const before = answered === undefined ? "" : idAt(written - 600_000, from.int(0, 2 ** 22 - 1))
  const likeCount = from.int(0, 900)
  return {
    type: "tweet",
    id,
    url: `${author.url}/status/${id}`,
    text,
    source: from.pick(["Web", "Phone", "Tablet"]),
    retweetCount: from.int(0, likeCount),
    replyCount: from.int(0, 60),
    likeCount,
    quoteCount: from.int(0, 20),
    viewCount: likeCount * from.int(20, 90) + from.int(1, 50),
    createdAt: new Date(written).toISOString(),
    lang: "en",
    bookmarkCount: from.int(0, 90),
    isReply: answered !== undefined,
    inReplyToId: before,
    conversationId: before || id,
    inReplyToUserId: answered?.id ?? "",
    inReplyToUsername: answered?.handle ?? "",
    displayTextRange: [0, text.length],
    author,
    entities,
    quoted_tweet: quoted,
    retweeted_tweet: "",
    isLimitedReply: from.chance(0.05)
  }
}

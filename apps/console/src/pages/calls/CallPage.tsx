import { Link, useParams } from "@tanstack/react-router"
import { callStory } from "@tollgate/client/account"
import { useMemo } from "react"
import { StoryPage } from "./CallStory.tsx"

export const CallPage = () => {
  const { call } = useParams({ from: "/calls/$call" })
  return (
    <StoryPage
      key={call}
      id={call}
      load={useMemo(() => callStory(call), [call])}
      back={<Link to="/calls">All calls</Link>}
    />
  )
}

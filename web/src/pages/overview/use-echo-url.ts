import { useQuery } from "@tanstack/react-query";
import { useClient } from "../../api/session.tsx";

/** Where the server answers calls for trying things out, if it does. */
export function useEchoUrl(): string | null {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ["nodes", "health"],
    queryFn: ({ signal }) => client.health.detailed({ signal }),
  });
  return data?.echoUrl ?? null;
}

import { useParams } from 'wouter'
import { AdminWords } from '../app/AdminWords'
import type { Me } from '../app/shapes'
import { PeopleList } from './PeopleList'
import { PersonPage } from './PersonPage'

/** Those who work in the app: all of them, or one. Admins change them, supervisors read. */
export default function People({ me }: { me: Me }) {
  const { person } = useParams<{ person?: string }>()
  return (
    <AdminWords>
      {person === undefined ? (
        <PeopleList me={me} />
      ) : (
        <PersonPage key={person} me={me} id={person} />
      )}
    </AdminWords>
  )
}

"""One check, from schedule to alert: the only place where the rooms meet.

`check` fetches, reads, judges and stores one document; `changes` classifies
what is new and re-anchors the citations of it; `alerting` decides who is told
and `deliver` tells them; `citing` emits and resolves; `views` answers people.
Every step reads its state from the store, so a crash anywhere resumes there.
"""
